"""The harness itself, over the t test: known numbers, the script's numbers, and that a wrong one is seen."""

import copy

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import Oracle, at, check_oracle, dataset, run_scripts

pytestmark = pytest.mark.r

WELCH = Oracle(
    "welch",
    "t_test",
    "mtcars",
    {"outcome": "@mpg", "group": "@am"},
    {"t": (-3.767123145144923, "statistics.t"), "low": (-11.280194355040159, "estimates.mean_difference.low")},
)


def test_a_right_number_passes_and_a_wrong_one_does_not(service: LocalService) -> None:
    answer = check_oracle(service, WELCH)
    assert at(answer, "n.by_group.0") == 19
    assert at(answer, "tables.main.1.n") == 13
    wrong = Oracle("wrong", WELCH.analysis, WELCH.columns, WELCH.params, {"t": (-3.7671, "statistics.t")})
    with pytest.raises(AssertionError, match="t: -3.7671 expected at statistics.t, got -3.767123"):
        check_oracle(service, wrong)


def test_a_script_is_run_and_compared(service: LocalService) -> None:
    columns = dataset("mtcars", "mpg", "am")
    answer = check_oracle(service, WELCH)
    assert run_scripts([(answer, columns)] * 2) == 2 * 14
    changed = copy.deepcopy(answer)
    changed["statistics"]["p"] *= 1 + 1e-8
    with pytest.raises(AssertionError, match="p is 0.00137"):
        run_scripts([(changed, columns)])


@pytest.mark.parametrize("name", ["sleep", "aml", "aSAH", "dat.bcg", "infert"])
def test_the_data_of_r(service: LocalService, name: str) -> None:
    assert (
        len(next(iter(dataset(name).values())))
        == {"sleep": 20, "aml": 23, "aSAH": 113, "dat.bcg": 13, "infert": 248}[name]
    )

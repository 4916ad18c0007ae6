"""What Scholium computes by its own formulas, beside car, psych, lmtest, effectsize, rstatix and brglm2."""

import json
import subprocess

import pytest

from analysis.r_client.local_service import LocalService
from tests.analysis.r.oracle import PLAIN, Oracle, check_oracle

pytestmark = [pytest.mark.r, pytest.mark.long]

SEEDS = range(1, 9)
# R's studentised range and effectsize's noncentral t stop at four digits or so, brglm2 at 1e-10 of the score.
LESS_EXACT = {"games_howell": 1e-4, "firth": 1e-5, "cohens_d": 1e-4}


def of_record() -> list[Oracle]:
    command = ["Rscript", "--vanilla", "tests/analysis/r/values_of_packages.R", *map(str, SEEDS)]
    ran = subprocess.run(command, env=PLAIN, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{ran.stderr[-2000:]}\ndocker/setup test-long adds the packages."
    return [
        Oracle(
            id=one["id"],
            analysis=one["analysis"],
            columns=one["columns"],
            params=one["params"],
            expected={path: (value, path) for path, value in one["expected"].items()},
            absolute=1e-6,
            tolerance=LESS_EXACT.get(one["id"].partition("-")[0], 1e-6),
        )
        for one in json.loads(ran.stdout)
    ]


def test_packages_of_record_give_the_same_numbers(service: LocalService) -> None:
    wrong = []
    for oracle in of_record():
        try:
            check_oracle(service, oracle)
        except AssertionError as error:
            wrong.append(str(error))
    assert not wrong, "\n".join(wrong)

"""Sample sizes: known numbers, the sentence for the protocol, refusals, scripts."""

from typing import Any

import pytest

from tests.analysis.r.oracle import Oracle, Service, ask, at, check_oracle, run_scripts

pytestmark = [pytest.mark.r, pytest.mark.long]


def size(name: str, params: dict[str, Any], expected: dict[str, tuple[float, str]], tolerance: float = 1e-6) -> Oracle:
    return Oracle(f"{name}_{len(params)}", f"sample-size/{name}", (), params, expected, tolerance)


ORACLES = [
    size("two_means", {"delta": 1, "sd": 1, "power": 0.9, "n": 20}, {"exact": (22.021095570096918, "statistics.n_per_group_exact"), "n": (23, "estimates.n_per_group.value"), "power_20": (0.8689528016921273, "statistics.power_at_n")}),
    size("two_means", {"d": -1, "power": 0.9, "sides": 1}, {"exact": (17.847120626538345, "statistics.n_per_group_exact")}),
    size("two_proportions", {"p1": 0.5, "p2": 0.75, "power": 0.9, "n": 50}, {"exact": (76.70692845177778, "statistics.n_per_group_exact"), "n": (77, "estimates.n_per_group.value"), "power_50": (0.7401659013313878, "statistics.power_at_n")}),
    size("single_proportion", {"p": 0.5, "precision": 0.05}, {"z196": (384.16, "statistics.n_exact_z196"), "z": (384.14588206941244, "statistics.n_exact"), "n": (385, "estimates.n.value")}),
    size("diagnostic", {"sensitivity": 0.9, "precision": 0.05, "prevalence": 0.2}, {"exact": (138.2925175449885, "statistics.n_diseased_exact"), "diseased": (139, "estimates.n_diseased.value"), "total": (692, "estimates.n.value")}),
    size("correlation", {"r": 0.3}, {"exact": (84.9278111157752, "statistics.n_exact"), "n": (85, "estimates.n.value")}),
    size("logrank", {"hazard_ratio": 0.5, "allocation": 0.5}, {"exact": (65.34565925887091, "statistics.events_exact"), "events": (66, "estimates.events.value")}),
    # The examples of R's own help pages: power.t.test, power.anova.test.
    size("paired", {"delta": 5, "sd": 10}, {"n": (34, "estimates.n.value")}),
    size("anova", {"means": [120, 130, 140, 150], "sd": 500**0.5, "power": 0.8}, {"exact": (11.92626, "statistics.n_per_group_exact"), "total": (48, "estimates.n_total.value")}, 2e-5),
    size("single_mean", {"sd": 10, "precision": 2}, {"n": (97, "estimates.n.value")}),
    size("single_mean", {"sd": 10, "delta": 5, "dropout": 0.2}, {"n": (34, "estimates.n.value"), "recruited": (43, "estimates.n_recruited.value")}),
    size("single_proportion", {"p": 0.5, "precision": 0.05, "population": 1000}, {"n": (278, "estimates.n.value")}),
]  # fmt: skip
MORE: list[tuple[str, dict[str, Any]]] = [
    ("anova", {"groups": 3, "f": 0.25, "dropout": 0.1, "n": 40}),
    ("diagnostic", {"sensitivity": 0.9, "specificity": 0.8, "precision": 0.05, "prevalence": 0.2, "dropout": 0.15}),
    ("logrank", {"hazard_ratio": 1.8, "allocation": 0.33, "event_rate": 0.3, "dropout": 0.1, "sides": 1}),
    ("two_means", {"d": 30}),  # two in each group are enough
    ("two_means", {"d": 0.002}),  # nearly the most there may be
    ("two_proportions", {"p1": 0.001, "p2": 0.999}),
    ("paired", {"d": 0.2, "dropout": 0.3, "alpha": 0.01, "power": 0.95}),
]


def test_known_numbers_and_scripts(service: Service) -> None:
    answers = [check_oracle(service, oracle) for oracle in ORACLES]
    answers += [ask(service, f"sample-size/{name}", params) for name, params in MORE]
    for answer in answers:
        assert "Calculation: " in answer["sentence"]["plain"]
        assert answer["source"]
        assert answer["tables"][0]["footnotes"][0] == answer["source"]
        assert answer["script"]["data_file"] is None
    assert run_scripts([(answer, ()) for answer in answers]) > 100


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        (
            "two_means", {"delta": 5, "sd": 12.5, "dropout": 0.1},
            "To detect a difference of 5 (SD 12.5) between the means of two groups with 80% power at a "
            "two-sided significance level "
            "of 5%, 100 participants are needed in each group (200 in all). Allowing for 10% of "
            "participants dropping out, 112 will "
            "be recruited to each group. Calculation: two-sample t test by the non-central t "
            "distribution, as power.t.test of R.",
        ),
        (
            "single_proportion", {"p": 0.12, "precision": 0.03, "alpha": 0.01},
            "To estimate a proportion of 12% to within 3 percentage points with 99% confidence, 779 "
            "participants are needed. "
            "Calculation: Cochran 1977: z² p (1 − p) / d².",
        ),
        (
            "logrank", {"hazard_ratio": 0.7, "event_rate": 0.3},
            "To detect a hazard ratio of 0.7 with 80% power at a two-sided significance level of 5%, with "
            "50% of participants in group 1, "
            "247 events are needed; if 30% of participants have the event, this takes 824 participants. "
            "Calculation: events for the "
            "log-rank test (Schoenfeld 1983, Biometrics 39:499).",
        ),
        (
            "diagnostic", {"sensitivity": 0.9, "specificity": 0.8, "precision": 0.05, "prevalence": 0.2},
            "To estimate a sensitivity of 90% and a specificity of 80% to within 5 percentage points with "
            "95% confidence, 139 with and 246 "
            "without the disease are needed; at a prevalence of 20% this takes 692 participants. "
            "Calculation: Buderer 1996 (Acad Emerg "
            "Med 3:895): z² Se (1 − Se) / d² with and z² Sp (1 − Sp) / d² without the disease, each "
            "divided by its share.",
        ),
    ],
)  # fmt: skip
def test_the_sentence_for_the_protocol(service: Service, name: str, params: dict[str, Any], words: str) -> None:
    assert ask(service, f"sample-size/{name}", params)["sentence"]["plain"] == words


def test_more_power_needs_more_people(service: Service) -> None:
    for name, params in [
        ("two_means", {"d": 0.4}),
        ("anova", {"groups": 4, "f": 0.2}),
        ("logrank", {"hazard_ratio": 0.6}),
    ]:
        key = "events_exact" if name == "logrank" else "n_per_group_exact"
        need = [
            at(ask(service, f"sample-size/{name}", {**params, "power": power}, script=False), f"statistics.{key}")
            for power in (0.6, 0.8, 0.95)
        ]
        assert need == sorted(need)
        assert need[0] < need[2]


@pytest.mark.parametrize(
    ("name", "params", "field"),
    [
        ("two_means", {}, "params.delta"),
        ("two_means", {"delta": 0, "sd": 1}, "params.delta"),
        ("two_means", {"delta": 1}, "params.sd"),
        ("two_means", {"delta": 1, "sd": 0}, "params.sd"),
        ("two_means", {"delta": 1, "sd": 1, "d": 1}, "params.d"),
        ("two_means", {"d": 1e-5}, "params"),
        ("two_means", {"d": 1, "alpha": 0}, "params.alpha"),
        ("two_means", {"d": 1, "sides": 1.5}, "params.sides"),
        ("two_means", {"d": 1, "colour": 1}, "params.colour"),
        ("two_proportions", {"p1": 0.5, "p2": 0.5}, "params.p2"),
        ("two_proportions", {"p1": 50, "p2": 75}, "params.p1"),
        ("two_proportions", {"p1": 0.5}, "params.p2"),
        ("single_proportion", {"p": 0.5, "precision": 1e-6}, "params"),
        ("single_mean", {"precision": 2}, "params.sd"),
        ("single_mean", {"sd": 10, "precision": 2, "delta": 1}, "params.precision"),
        ("correlation", {"r": 0}, "params.r"),
        ("correlation", {"r": 1}, "params.r"),
        ("anova", {"f": 0.25}, "params.groups"),
        ("anova", {"groups": 3}, "params.f"),
        ("anova", {"means": [1, 1, 1], "sd": 2}, "params.means"),
        ("anova", {"groups": 4, "means": [1, 2, 1], "sd": 2}, "params.means"),
        ("anova", {"groups": 3, "f": 0.25, "sides": 1}, "params.sides"),
        ("diagnostic", {"precision": 0.05, "prevalence": 0.2}, "params.sensitivity"),
        ("logrank", {"hazard_ratio": 1}, "params.hazard_ratio"),
        ("logrank", {"hazard_ratio": "half"}, "params.hazard_ratio"),
    ],
)
def test_refusals(service: Service, name: str, params: dict[str, Any], field: str) -> None:
    error = ask(service, f"sample-size/{name}", params, status=422)["error"]
    assert (error["code"], error["field"]) == ("bad_option", field), error

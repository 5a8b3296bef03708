"""The largest network of a family within a number of parameters."""

import re
import signal
from dataclasses import replace

import pytest

import models
from models.__main__ import main
from models.catalogue import fit as fitting
from models.catalogue.fit import fit
from models.catalogue.registry import outline
from models.errors import ModelOptionError

CHEAP = {
    "resnet": dict(blocks=1),
    "mobilenet": dict(blocks=2, filters=8, trunk=8),
    "restnet": dict(blocks="RT", heads=3, filters=9),
    "nogozero": dict(blocks=1),
    "vit": dict(blocks=1, width=8, heads=4),
    "shufflenet": dict(blocks=2, filters=8),
    "efficientformer": dict(pooling_blocks=1, attention_blocks=1, filters=6, heads=2),
}


@pytest.mark.parametrize(
    ("name", "limit"),
    [("resnet", 5_000),
     pytest.param("mobilenet", 3_000, marks=pytest.mark.slow),
     pytest.param("vit", 20_000, marks=pytest.mark.slow),
     pytest.param("resnet", 1_400, marks=pytest.mark.slow),
     pytest.param("nogozero", 9_000, marks=pytest.mark.slow),
     pytest.param("shufflenet", 1_800, marks=pytest.mark.slow),
     pytest.param("restnet", 12_000, marks=pytest.mark.slow),
     pytest.param("efficientformer", 9_000, marks=pytest.mark.slow)],
)  # fmt: skip
def test_one_step_more_would_not_fit(name, limit):
    """From a start that fits, and from one that does not: every size between is tried."""
    spec = models.REGISTRY[name]
    starts = [CHEAP[name]]
    found = fit(name, CHEAP[name], limit=limit)
    assert found.option == spec.scales and found.total <= limit < found.next_total
    if spec.scales not in ("blocks",):
        starts.append({**CHEAP[name], spec.scales: 3 * found.next_value})
        assert fit(name, starts[-1], limit=limit) == found
    for value in range(found.value + 1, found.next_value):
        with pytest.raises(ModelOptionError):
            outline(name, **{**CHEAP[name], found.option: value})
    for value, total in ((found.value, found.total), (found.next_value, found.next_total)):
        model = outline(name, **{**CHEAP[name], found.option: value})
        assert model.count_params() == total


def test_few_networks_are_built(monkeypatch):
    """From 1 to some twenty filters in doubling steps, not one by one."""
    values = []
    monkeypatch.setattr(
        fitting, "outline", lambda *args, **options: values.append(options["filters"])
        or outline(*args, **options)
    )  # fmt: skip
    found = fit("resnet", dict(blocks=1, filters=1), limit=20_000)
    assert found.value > 15 and len(values) <= 12


def test_every_family_says_what_scales_it():
    for name, spec in models.REGISTRY.items():
        assert type(models.resolve_options(name)[spec.scales]) is int


def test_limits_that_cannot_be_met_are_said(capsys):
    assert main(["fit", "resnet", "--limit", "100", "--set", "blocks=1"]) == 2
    error = capsys.readouterr().err
    assert "does not fit into" in error and "filters=1" in error and error.count("\n") == 1
    assert main(["fit", "alexnet"]) == 2
    assert main(["fit", "resnet", "--set", "blocks"]) == 2
    with pytest.raises(ModelOptionError, match="the limit must be at most 100,000,000, not 10"):
        fit("mobilenet", limit=10**11)


def test_ctrl_c_is_said(monkeypatch, capsys):
    monkeypatch.setattr("models.catalogue.fit.fit", lambda *_: signal.raise_signal(signal.SIGINT))
    assert main(["fit", "resnet"]) == 130
    assert capsys.readouterr().err == "python -m models: interrupted\n"


def test_the_command_says_what_fits(capsys):
    assert main(["fit", "resnet", "--set", "blocks=1", "--limit", "5000"]) == 0
    said = r"filters=(\d+) has ([\d,]+) parameters of at most 5,000"
    filters, total = re.search(said, capsys.readouterr().out).groups()
    assert f"{outline('resnet', blocks=1, filters=int(filters)).count_params():,}" == total


def test_a_network_too_deep_for_keras_is_said(monkeypatch):
    def endless(*, filters: int = 1):
        return endless(filters=filters)

    spec = replace(models.REGISTRY["resnet"], build=endless, budget={})
    monkeypatch.setitem(models.REGISTRY, "resnet", spec)
    with pytest.raises(ModelOptionError, match="resnet cannot be built with .*: .*recursion depth"):
        fit("resnet")

"""The table of seeded faults fits the sources."""

import pytest

from tests.data import ROOT
from tests.mutations import MUTATIONS, NATIVE, place_of, sources_of


@pytest.fixture(scope="module")
def sources():
    return sources_of(ROOT)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_has_its_place_and_its_tests(mutation, sources):
    assert place_of(mutation, sources).exists()
    assert mutation.new != mutation.old
    files = [word for word in mutation.tests.split() if word.startswith("tests/")]
    assert mutation.tests == NATIVE or files
    assert all((ROOT / file).exists() for file in files)


def test_names_are_their_own():
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 40

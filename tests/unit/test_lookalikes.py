"""Names that the eye takes for one another, and names that it does not."""

import pytest

from tournament.league.lookalikes import skeleton


@pytest.mark.parametrize(
    "names",
    [
        ("Alice", "alice", "AIice", "A1ice", "A|ice", "Alice.", "_Al-ice", "Álice"),
        ("Alice", "Аlice", "Αlice", "Alісе"),  # Cyrillic A, Greek A, Cyrillic ice
        ("Otto", "0tto", "ОТТО", "ΟΤΤΟ"),
        ("Bernd", "Bemd"),
        ("Willem", "VVillem"),
        ("Ada_Lovelace", "Ada Lovelace", "ada.lovelace", "AdaLovelace"),
        ("fin", "ﬁn", "ｆｉｎ"),
        ("team10", "team_10", "teamIO"),
        ("李明", "李明\u3164", "李\u115f明"),  # letters that are not seen
        ("محمد", "محمّد"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(names):
    assert len({skeleton(name) for name in names}) == 1


@pytest.mark.parametrize(
    "names",
    [
        ("Ada", "Adam", "Adan"),
        ("Grace", "Gracie"),
        ("Clara", "Dara"),
        ("group_1_11", "group_11_1", "group_111"),
        ("net0.1", "net01"),
        ("राम", "रीमा", "रामा", "रम"),  # Ram, Rima, Rama, Ram without its vowel
        ("ปุ", "ปู", "ปี"),
        tuple(f"team{number}" for number in range(60)),
        tuple(f"Network_{number:03d}" for number in range(200)),
    ],
)
def test_other_names_have_their_own(names):
    assert len({skeleton(name) for name in names}) == len(names)

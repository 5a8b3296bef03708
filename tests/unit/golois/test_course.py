"""The course's calls, in every form and with the arrays that scripts really pass."""

import os

import numpy as np
import pytest

from golois import getBatch, getBatchVal, getValidation, setSoft
from golois.course.arrays import ROWS_AT_ONCE
from golois.course.calls import _session
from golois.errors import ArgumentError, ArgumentTypeError, DataFormatError
from golois.records.importing import import_games
from golois.records.packed_file import GameFile
from tests.data import EMBEDDED_GAMES, GOLDEN_FOLDERS

N = 8


def arrays(num_rows: int = N, dtype=np.float32) -> list[np.ndarray]:
    shapes = ((19, 19, 31), (361,), (), (19, 19, 2), (19, 19, 1))
    return [np.full((num_rows, *shape), -7, dtype) for shape in shapes]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A current folder with the course's text file."""
    (tmp_path / "games.data").write_bytes((GOLDEN_FOLDERS[0] / "games.data").read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def assert_filled(x, policy, value, end, groups=None) -> None:
    assert set(np.unique(x)) == {0, 1}
    np.testing.assert_array_equal(policy.sum(1), 1)
    assert (value >= 0).all() and (value <= 1).all()
    assert set(np.unique(end)) <= {0, 1}
    if groups is not None:
        stones = x[..., 11] + x[..., 12]
        np.testing.assert_array_equal(groups[..., 0] > 0, stones > 0)


def test_the_courses_template(folder):
    x, policy, value, end, groups = arrays()
    getValidation(x, policy, value, end)
    assert_filled(x, policy, value, end)
    validation = x.copy()
    for epoch in range(3):
        getBatch(x, policy, value, end, groups, epoch * N)
        assert_filled(x, policy, value, end, groups)
    getValidation(x, policy, value, end)
    np.testing.assert_array_equal(x, validation)
    setSoft(1)


def test_old_calls_without_index_or_groups_give_other_positions_each_time(folder):
    x, policy, value, end, groups = arrays()
    getBatch(x, policy, value, end)
    first = policy.copy()
    getBatch(x, policy, value, end, groups)
    assert_filled(x, policy, value, end, groups)
    assert (policy != first).any()


def test_batches_of_other_sizes_are_other_draws(folder):
    session, drawn = _session(folder), []
    for num_rows in (N, N, N // 2, 0, 3 * N, N):
        positions, symmetries = session.training_rows(num_rows, None)[1:]
        drawn += zip(positions.tolist(), symmetries.tolist(), strict=True)
    assert len(set(drawn)) == len(drawn)


def test_index_walks_and_wraps(folder):
    one, two = arrays(), arrays(2 * N)
    getBatch(*two, 100)
    getBatch(*one, 100 + N)
    for small, large in zip(one, two, strict=True):
        np.testing.assert_array_equal(small, large[N:])
    getBatch(*one, 10**9)
    assert_filled(*one)


@pytest.mark.parametrize("make", ["float64", "strided", "column", "integers"])
def test_other_arrays_are_filled_through_a_copy(folder, make):
    plain, other = arrays(), arrays(dtype=np.float64 if make == "float64" else np.float32)
    if make == "strided":
        other = [np.full((N, *a.shape[1:], 2), -7, np.float32)[..., 0] for a in plain]
    if make == "column":
        other[2] = np.full((N, 1), -7, np.float32)
    if make == "integers":
        other = [a if i == 2 else a.astype(np.int8) for i, a in enumerate(other)]
    getBatch(*plain, 5)
    getBatch(*other, 5)
    for left, right in zip(plain, other, strict=True):
        np.testing.assert_allclose(right.reshape(left.shape), left)


OLDER_PLANES = {21: list(range(21)), 8: [0, 1, 11, 12, 13, 14, 15, 16]}


@pytest.mark.parametrize("num_planes", OLDER_PLANES)
@pytest.mark.parametrize("form", ["validation", "4", "5", "6"])
def test_x_may_have_the_planes_of_other_years(folder, form, num_planes):
    """In every form of the calls; what is filled with the rows is the same as with 31 planes."""
    num_rows = ROWS_AT_ONCE + N if form == "6" else N
    today, then = arrays(num_rows), arrays(num_rows)
    then[0] = np.full((num_rows, 19, 19, num_planes), -7, np.float32)
    for batch in today, then:
        _session.cache_clear()
        if form == "validation":
            getValidation(*batch[:4])
        elif form == "6":
            getBatch(*batch, 5)
        else:
            getBatch(*batch[: int(form)])
    np.testing.assert_array_equal(then[0], today[0][..., OLDER_PLANES[num_planes]])
    for left, right in zip(then[1:], today[1:], strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("num_planes", [0, 7, 9, 22, 30, 32])
def test_other_numbers_of_planes_are_refused(folder, num_planes):
    x = np.zeros((N, 19, 19, num_planes), np.float32)
    with pytest.raises(ArgumentError, match=r"x of shape \(8, 19, 19, 31\), or of 21 or 8 planes"):
        getBatch(x, *arrays()[1:], 0)


def test_the_call_for_another_file_names_the_one_for_validation(folder):
    with pytest.raises(ArgumentError, match=r"call getValidation\(x, policy, value, end\)"):
        getBatchVal(*arrays()[:4])


def test_wrong_arrays_are_refused_by_name(folder):
    x, policy, value, end, groups = arrays()
    read_only = value.copy()
    read_only.setflags(write=False)
    for at, wrong, error, words in (
        (1, policy[:, :360].copy(), ArgumentError, r"policy of shape \(8, 361\).*; write to_cat"),
        (3, end[:3], ArgumentError, "expected end of shape"),
        (0, [1, 2], ArgumentTypeError, "as x: got list"),
        (2, value.astype(np.int64), ArgumentTypeError, "floating-point array as value: got int64"),
        (4, groups.astype(object), ArgumentTypeError, "as groups: got object"),
        (2, read_only, ArgumentError, "writable array as value"),
    ):
        given = [x, policy, value, end, groups]
        given[at] = wrong
        with pytest.raises(error, match=words):
            getBatch(*given, 0)


def test_more_rows_than_a_fifth_of_the_games_has_is_an_error(folder):
    with pytest.raises(ArgumentError, match="expected at most .* got 5000"):
        getValidation(*arrays(5000)[:4])


def test_few_games_give_several_positions_each(folder):
    """Two of the twelve games: a fifth, rounded down."""
    batch = arrays(100)
    words = "has 12 games, too few for 100 .* from 2 games, and training uses the other 10"
    with pytest.warns(UserWarning, match=words) as said:
        getValidation(*batch[:4])
    assert [warning.filename for warning in said] == [__file__]
    assert_filled(*batch[:4])
    getValidation(*batch[:4])  # without a warning, which would be an error here
    _session.cache_clear()
    again = arrays(100)
    getValidation(*again[:4])
    np.testing.assert_array_equal(batch[0], again[0])
    assert _session(folder)._train.num_games("train") == 10


def positions_kept(path) -> list[int]:
    """What a file such as validation.data lists, which must be whole."""
    count, *positions = map(int, path.read_text().split())
    assert count == len(positions)
    return positions


@pytest.mark.parametrize("is_new_process", [False, True])
def test_validation_file_is_shortened_and_extended(folder, is_new_process):
    path = folder / "validation.data"
    first = arrays()
    getValidation(*first[:4])
    kept = positions_kept(path)
    assert len(kept) == N
    for num_rows, done in ((4, "had 8 .* shortened to 4"), (6, "had 4 .* extended to 6")):
        if is_new_process:
            _session.cache_clear()
        batch = arrays(num_rows)
        with pytest.warns(UserWarning, match=done):
            getValidation(*batch[:4])
        assert positions_kept(path) == kept[:num_rows]
        np.testing.assert_array_equal(batch[0], first[0][:num_rows])


def test_a_game_that_was_held_out_stays_so_in_the_same_process(folder):
    getValidation(*arrays()[:4])
    assert _session(folder)._train.num_games("validation") == N
    with pytest.warns(UserWarning, match="shortened"):
        getValidation(*arrays(4)[:4])
    assert _session(folder)._train.num_games("validation") == N


@pytest.mark.parametrize("text", ["3 1 2", "nonsense", "", "1 " + "9" * 5000])
def test_a_damaged_validation_file_is_said(folder, text):
    (folder / "validation.data").write_text(text)
    with pytest.raises(DataFormatError, match="validation.data"):
        getBatch(*arrays(), 0)


def choice_of_other_games(folder, what) -> str:
    import_games([folder / "games.data"], folder / "packed")
    games = GameFile.open(folder / "packed")
    firsts = games.rows["first_position"].tolist()
    chosen = {
        "a position beyond": [1, games.num_positions],
        "far beyond": [1, 99999999],
        "all games": firsts,
    }[what]
    return " ".join(map(str, [len(chosen), *chosen]))


@pytest.mark.parametrize("what", ["a position beyond", "far beyond", "all games"])
def test_a_validation_file_of_other_games_is_set_aside(folder, what):
    """Of a larger file, or of one whose choice would leave no game to train on."""
    text = choice_of_other_games(folder, what)
    path, old = folder / "validation.data", folder / "validation.data.old"
    path.write_text(text)
    with pytest.warns(UserWarning, match="belongs to other games .* now validation.data.old"):
        getBatch(*arrays(), 0)
    assert old.read_text() == text and not path.exists()
    getValidation(*arrays()[:4])
    assert len(positions_kept(path)) == N


def test_a_file_that_cannot_be_set_aside_is_passed_over(folder, monkeypatch):
    getBatch(*arrays(), 0)  # which packs the games
    _session.cache_clear()
    (folder / "validation.data").write_text("2 1 99999999")

    def refuse(source, target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    batch = arrays()
    with pytest.warns(UserWarning, match="is ignored, and positions are chosen again"):
        getValidation(*batch[:4])
    assert_filled(*batch[:4])
    assert (folder / "validation.data").read_text() == "2 1 99999999"


@pytest.mark.parametrize("name", ["games2022.data", "data/games.data"])
def test_games_of_another_name_are_found(folder, name):
    (folder / "data").mkdir()
    (folder / "games.data").rename(folder / name)
    batch = arrays()
    with pytest.warns(UserWarning, match=f"there is no .*games.data: .*{name} is used"):
        getBatch(*batch, 0)
    assert_filled(*batch)
    getBatch(*batch, N)  # without a warning, which would be an error here


def test_games_data_comes_first(folder):
    (folder / "games2022.data").write_text("nonsense")
    (folder / "validation.2022.data").write_text("nonsense")
    getValidation(*arrays()[:4])
    assert len(positions_kept(folder / "validation.data")) == N


@pytest.mark.parametrize("is_beside", [False, True])
def test_validation_of_2022_belongs_to_games_of_another_name(folder, is_beside):
    """It is read and kept where there is no validation.data."""
    (folder / "games.data").rename(folder / "games2022.data")
    used, other = folder / "validation.2022.data", folder / "validation.data"
    used.write_text("2 40 50")
    if is_beside:
        other.write_text("2 60 70")
        used, other = other, used
    chosen = positions_kept(used)
    with pytest.warns(UserWarning, match="games2022.data is used"):
        getValidation(*arrays(2)[:4])
    assert _session(folder)._chosen.tolist() == chosen == positions_kept(used)


def test_packed_copy_is_made_once_and_again_when_the_text_changes(folder):
    getBatch(*arrays(), 0)
    packed = folder / "games.data.games"
    first = packed.stat().st_mtime_ns
    _session.cache_clear()
    getBatch(*arrays(), 0)
    assert packed.stat().st_mtime_ns == first
    os.utime(folder / "games.data", ns=(first + 10**9, first + 10**9))
    _session.cache_clear()
    getBatch(*arrays(), 0)
    assert packed.stat().st_mtime_ns != first


def test_a_packed_file_may_be_called_games_data(tmp_path, monkeypatch):
    import_games([GOLDEN_FOLDERS[0] / "games.data"], tmp_path / "games.data")
    monkeypatch.chdir(tmp_path)
    batch = arrays()
    getBatch(*batch, 0)
    assert_filled(*batch)
    assert not (tmp_path / "games.data.games").exists()


def test_missing_data_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataFormatError, match="python -m golois import"):
        getBatch(*arrays(), 0)


def test_read_only_folder_uses_the_users_cache(folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    getValidation(*arrays()[:4])
    assert list((folder / "cache").rglob("*.games"))
    assert not (folder / "games.data.games").exists()


def test_embedded_games_work_as_well(tmp_path, monkeypatch):
    (tmp_path / "games.data").symlink_to(EMBEDDED_GAMES)
    monkeypatch.chdir(tmp_path)
    batch = arrays(512)
    getBatch(*batch, 0)
    assert_filled(*batch)

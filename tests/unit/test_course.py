"""The course's calls, in every form and with the arrays that scripts really pass."""

import os

import numpy as np
import pytest

from golois import getBatch, getValidation, setSoft
from golois.course import _session
from golois.errors import ArgumentError, ArgumentTypeError, DataFormatError
from golois.importing import import_games
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


def test_batch_works_before_validation(folder):
    batch = arrays()
    getBatch(*batch, 0)
    assert_filled(*batch)


def test_old_calls_without_index_or_groups_give_other_positions_each_time(folder):
    x, policy, value, end, groups = arrays()
    getBatch(x, policy, value, end)
    first = policy.copy()
    getBatch(x, policy, value, end, groups)
    assert_filled(x, policy, value, end, groups)
    assert (policy != first).any()


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


def test_wrong_arrays_are_refused_by_name(folder):
    x, policy, value, end, groups = arrays()
    with pytest.raises(ArgumentError, match=r"expected policy of shape \(8, 361\).*\(8, 360\)"):
        getBatch(x, policy[:, :360].copy(), value, end, groups, 0)
    with pytest.raises(ArgumentError, match="expected end of shape"):
        getBatch(x, policy, value, end[:3], groups, 0)
    with pytest.raises(ArgumentTypeError, match="as x: got list"):
        getBatch([1, 2], policy, value, end, groups, 0)
    with pytest.raises(ArgumentTypeError, match="floating-point array as value: got int64"):
        getBatch(x, policy, value.astype(np.int64), end, groups, 0)
    with pytest.raises(ArgumentTypeError, match="as groups: got object"):
        getBatch(x, policy, value, end, groups.astype(object), 0)
    value.setflags(write=False)
    with pytest.raises(ArgumentError, match="writable array as value"):
        getBatch(x, policy, value, end, groups, 0)


def test_more_rows_than_games_is_an_error_for_validation(folder):
    with pytest.raises(ArgumentError, match="expected at most .* got 5000"):
        getValidation(*arrays(5000)[:4])


def test_validation_file_is_kept_and_a_stale_one_detected(folder):
    getValidation(*arrays()[:4])
    words = (folder / "validation.data").read_text().split()
    assert len(words) == N + 1 and words[0] == str(N)
    with pytest.raises(DataFormatError, match="expected 4 positions .* got 8"):
        getValidation(*arrays(4)[:4])


@pytest.mark.parametrize("text", ["3 1 2", "2 1 99999999", "nonsense", ""])
def test_a_damaged_validation_file_is_said(folder, text):
    (folder / "validation.data").write_text(text)
    with pytest.raises(DataFormatError, match="validation.data"):
        getBatch(*arrays(), 0)


def test_validation_games_leave_training(folder):
    """No training position shows a game whose position was chosen for validation."""
    x, policy, value, end, _ = arrays()
    getValidation(x, policy, value, end)
    chosen = list(map(int, (folder / "validation.data").read_text().split()[1:]))
    train = _session(folder)._train
    assert train.num_games("validation") == N == len(chosen)


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

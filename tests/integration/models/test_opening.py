"""Files that may be someone else's: each command refuses crafted ones before Keras sees them."""

import shutil
import sys
import zipfile
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

import evaluate
import train
from models.__main__ import main as models_main
from models.catalogue.saved import open_network
from models.errors import SavedNetworkError
from selfplay import command as selfplay_command
from selfplay.learner import Learner
from selfplay.networks import CompiledNetwork
from selfplay.options import Options
from tests import crafted_networks
from tests.crafted_networks import MODULE, craft, descriptions
from tests.data import ROOT
from tournament.intake.faults import Refused
from tournament.intake.for_keras import checked_description

pytestmark = pytest.mark.usefixtures("order_of_sums_as_before")

FORMS = ("h5", "keras")
KINDS = sorted(descriptions(Path("mark")))
OF_KERAS = "keras.saving.load_model"


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> dict[str, Path]:
    """A network that can be handed in, with a ReLU, in both forms."""
    board = keras.Input((19, 19, 31), name="board")
    x = layers.ReLU()(layers.Conv2D(4, 3, padding="same")(board))
    policy = layers.Flatten()(layers.Conv2D(1, 1)(x))
    policy = layers.Activation("softmax", name="policy")(policy)
    value = layers.GlobalAveragePooling2D()(x)
    value = layers.Dense(1, activation="sigmoid", name="value")(value)
    folder = tmp_path_factory.mktemp("saved")
    for form in FORMS:
        keras.Model(board, [policy, value]).save(folder / f"net.{form}")
    return {form: folder / f"net.{form}" for form in FORMS}


@pytest.fixture
def opened_by_keras(monkeypatch) -> list[Path]:
    """The files that Keras is given."""
    files, load = [], keras.saving.load_model

    def noted(path, **options):
        files.append(Path(path))
        return load(path, **options)

    monkeypatch.setattr(OF_KERAS, noted)
    return files


@pytest.fixture
def stranger(tmp_path, monkeypatch, opened_by_keras):
    """A folder for a stranger's file; whatever runs of it leaves a mark, and Keras sees nothing."""
    mark = tmp_path / "mark"
    crafted_networks.leave_module(tmp_path, mark)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    assert not mark.exists() and MODULE not in sys.modules
    assert opened_by_keras == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_a_description_that_names_what_may_be_code_is_refused(kind, form, saved, stranger):
    change = descriptions(stranger / "mark")[kind]
    path = craft(saved[form], stranger / f"evil.{form}", change)
    if form == "h5":
        import h5py

        with h5py.File(path) as file:
            text = file.attrs["model_config"]
    else:
        text = zipfile.ZipFile(path).read("config.json").decode()
    with pytest.raises(Refused) as refusal:
        checked_description(text, {crafted_networks.OF_THE_KIT})
    (fault,) = refusal.value.faults
    assert "which may be code; the intake runs no code" in fault.text
    assert fault.text.isascii() and fault.text.isprintable()


def commands(path: Path) -> dict[str, tuple]:
    small = ("--model=resnet", "--set=blocks=1", "--set=filters=4", "--smoke", "--out=run")
    of_selfplay = ("--size=3", "--set=blocks=1", "--set=filters=4", "--out=run", "--iterations=1")
    return {
        "evaluate": (evaluate.main, [str(path)]),
        "gtp": (evaluate.main, [str(path), "--gtp"]),
        "init_from": (train.main, ["--init-from", str(path), *small]),
        "distill": (train.main, ["--distill", str(path), *small]),
        "model": (train.main, ["--model", str(path), "--smoke", "--out=run"]),
        "check": (models_main, ["check", str(path)]),
        "selfplay": (
            lambda argv: selfplay_command.main(argv, selfplay_command.__doc__),
            ["--game=go", *of_selfplay, f"--init-from={path}"],
        ),
    }  # fmt: skip


@pytest.mark.parametrize("form", ["h5", pytest.param("keras", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "check" else pytest.mark.slow)
        for name in commands(Path("net"))
    ],
)
def test_each_command_refuses_a_crafted_file_in_one_sentence(name, form, saved, stranger, capsys):
    change = descriptions(stranger / "mark")["lambda_of_keras_2"]
    path = craft(saved[form], stranger / f"evil.{form}", change)
    main, arguments = commands(path)[name]
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert "names 'Lambda', which may be code; the intake runs no code" in captured.err
    assert captured.err.count("\n") == 1
    assert not (stranger / "run").exists()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["h5", pytest.param("keras", marks=pytest.mark.slow)])
@pytest.mark.parametrize("open_file", ["again", "compiled", "taken"])
def test_a_run_of_self_play_refuses_them_too(open_file, form, saved, stranger, opened_by_keras):
    """A victim is someone else's; and so may a folder be, which is gone on with."""
    path = craft(
        saved[form], stranger / f"evil.{form}", descriptions(stranger / "mark")["saved_model"]
    )
    with pytest.raises(SavedNetworkError, match="names 'TFSMLayer', which may be code"):
        if open_file == "compiled":
            CompiledNetwork(path, 2)
        elif open_file == "taken":
            network = CompiledNetwork(saved[form], 2, "float32")
            opened_by_keras.clear()  # the one before
            network.take(path)
        else:
            Learner(Options(size=3, set={"blocks": "1", "filters": "4"})).begin_again_from(path)


@pytest.mark.parametrize(("kind", "form"), [("lambda", "h5"), ("lambda_of_keras_2", "keras")])
def test_a_lambda_under_the_name_of_a_known_class_does_not_run(kind, form, saved, tmp_path):
    def change(model: dict) -> None:
        descriptions(tmp_path / "mark")[kind](model)
        crafted_networks.call_it_known(model)

    path = craft(saved[form], tmp_path / f"evil.{form}", change)
    with pytest.raises(SavedNetworkError, match="may be code|Keras cannot load"):
        open_network(path)
    assert not (tmp_path / "mark").exists()


def with_another_member(path: Path, _: Path) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../outside", b"")


def of_a_tebibyte(path: Path, _: Path) -> None:
    with open(path, "r+b") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize(
    ("form", "spoil", "words"),
    [
        ("h5", crafted_networks.link_elsewhere, "evil.h5: .*'model_weights"),
        ("h5", crafted_networks.read_elsewhere, "evil.h5: .*'model_weights"),
        ("h5", of_a_tebibyte, "the file has 1,099,511,627,776 bytes: at most"),
        ("keras", with_another_member, "has a member '../outside'"),
    ],
)
def test_a_file_of_more_than_a_network_is_refused(form, spoil, words, saved, stranger):
    path = shutil.copy(saved[form], stranger / f"evil.{form}")
    spoil(path, saved["h5"])
    with pytest.raises(SavedNetworkError, match=words):
        open_network(path)


@pytest.mark.parametrize("form", ["h5", pytest.param("keras", marks=pytest.mark.slow)])
def test_what_a_network_was_compiled_with_is_not_looked_at(form, saved, tmp_path, opened_by_keras):
    def change(model: dict) -> None:
        for described in (model, *model["config"]["layers"]):
            described["compile_config"] = {"optimizer": {"class_name": "evil", "module": MODULE}}

    path = craft(saved[form], tmp_path / f"net.{form}", change)
    assert isinstance(open_network(path), keras.Model)
    (copy,) = opened_by_keras
    assert copy != path and not copy.exists(), "Keras sees a copy, which is gone"


def nested(board):
    inner_input = keras.Input((19, 19, 4))
    x = layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(inner_input))
    inner = keras.Model(inner_input, x, name="inner")
    inner.compile("adam", "mse")
    held = dict(kernel_regularizer="l2", kernel_constraint="max_norm")
    x = layers.Conv2D(4, 1, activation="gelu", **held)(board)
    x = layers.SpatialDropout2D(0.1)(inner(inner(x)))
    inner.trainable = False
    return layers.Dropout(0.5)(layers.Flatten()(x))


def recurrent(board):
    rows = layers.TimeDistributed(layers.Flatten())(board)
    x = layers.Bidirectional(layers.LSTM(3, dropout=0.1))(rows)
    return layers.Dense(2, dtype="mixed_float16")(x)


def convolved_in_3d(board):
    x = layers.Reshape((19, 19, 31, 1))(board)
    x = layers.UnitNormalization()(layers.Conv3D(2, 3, strides=4)(x))
    attended = layers.MultiHeadAttention(2, 3, dropout=0.1)(*[layers.Reshape((-1, 2))(x)] * 2)
    return layers.SpectralNormalization(layers.Dense(2))(attended)


def in_a_row(board):
    return layers.Dense(2)(layers.Flatten()(board))


@pytest.mark.parametrize("form", ["h5", pytest.param("keras", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "build",
    [
        nested,
        *(pytest.param(slow, marks=pytest.mark.slow) for slow in (recurrent, convolved_in_3d)),
        in_a_row,
    ],
)
def test_networks_of_keras_open_as_they_are(build, form, tmp_path):
    board = keras.Input((19, 19, 31))
    network = keras.Model(board, build(board))
    if build is in_a_row:
        network = keras.Sequential([board, *network.layers[1:]])
    network.save(tmp_path / f"net.{form}")
    opened = open_network(tmp_path / f"net.{form}")
    planes = np.random.default_rng(0).random((2, 19, 19, 31), np.float32)
    np.testing.assert_array_equal(opened(planes), network(planes))
    assert len(opened.trainable_weights) == len(network.trainable_weights)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_network_of_any_size_is_opened(form, tmp_path):
    """These are larger than any file that can be handed in."""
    board = keras.Input((19, 19, 31))
    keras.Model(board, layers.Dense(1000)(layers.Flatten()(board))).save(tmp_path / f"net.{form}")
    assert (tmp_path / f"net.{form}").stat().st_size > 40_000_000
    assert open_network(tmp_path / f"net.{form}").count_params() == 11_192_000


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_classes_that_this_process_has_registered_are_known(form, tmp_path):
    @keras.saving.register_keras_serializable("test_opening")
    class Doubled(layers.Layer):
        def call(self, x):
            return 2 * x

    board = keras.Input((19, 19, 31))
    keras.Model(board, Doubled()(board)).save(tmp_path / f"net.{form}")
    assert open_network(tmp_path / f"net.{form}").layers[-1].__class__ is Doubled
    keras.saving.get_custom_objects().pop("test_opening>Doubled")
    with pytest.raises(SavedNetworkError, match="names '.*Doubled', which may be code"):
        open_network(tmp_path / f"net.{form}")


def test_keras_opens_files_in_one_place():
    rooms = [ROOT / name for name in ("models", "selfplay", "papers", "golois")]
    paths = [*ROOT.glob("*.py"), *(path for room in rooms for path in room.rglob("*.py"))]
    texts = {path: path.read_text("utf-8") for path in paths}
    found = [path.name for path, text in texts.items() if "load_model(" in text]
    assert sorted(found) == ["keras_3.py", "saved.py"], "keras_3.py has it in advice only"

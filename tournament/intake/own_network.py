"""Networks of one's own, for any game: baked in this process, without the sandbox of the gates."""

from pathlib import Path

from golois.games.game import Game
from golois.kit.files import write_whole
from tournament.errors import NetworkError
from tournament.intake import JudgeOptions, bake_request, container, read_manifest
from tournament.intake.bake import bake
from tournament.intake.child import Message
from tournament.intake.faults import Refused

MAX_PARAMS = 60_000_000


def bake_own_network(source: str | Path, game: Game, artefact: Path | None = None) -> Path:
    """Write the artefact of an .h5 or .keras, NAME.onnx, and its manifest beside it, NAME.json.

    The gates check and bake it as a submission, with neither a budget nor a limit of time, and
    without rounding: it is for networks that were trained here. A process that plays needs
    `open_evaluator` and the two files, and no Keras.

    Args:
        source: of the network.
        game: whose planes and policy the network must have.
        artefact: where to write it; beside the source if None.

    Returns:
        the path of the artefact.

    Raises:
        NetworkError: the network has other shapes, or is refused for another reason.
        OSError: the file cannot be read.
    """
    source = Path(source)
    data = source.read_bytes()
    options = JudgeOptions(
        max_params=MAX_PARAMS, round_numbers=False,
        planes_shape=game.planes_shape, policy_size=game.policy_size,
    )
    try:
        opened = container.read(Message({}, data))
        baked = bake(bake_request(opened, options, seed=0))
        baked.header["sandbox"] = "none"
        manifest = read_manifest(data, baked, options, seed=0)
    except Refused as refusal:
        fault, *_ = refusal.faults
        raise NetworkError(f"{source}: {fault.text}: {fault.remedy}") from refusal
    artefact = artefact or source.with_suffix(".onnx")
    manifest.write(artefact.with_suffix(".json"))
    write_whole(artefact, baked.payload)  # last: an artefact always has its manifest
    return artefact

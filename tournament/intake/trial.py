"""What a file must pass before it is filed: the intake, and a short game against itself."""

from pathlib import Path

from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.game.play import play_game
from tournament.game.record import PLAYED, VOID, GameRecord
from tournament.intake import IntakeError, JudgeOptions, Manifest, Verdict, judge
from tournament.intake.faults import END_WITH_SIGMOID, END_WITH_SOFTMAX, LOOK_AT_OUTPUTS, fault
from tournament.intake.real_positions import draw_opening
from tournament.networks.evaluator import open_evaluator
from tournament.players import make_player

TRIAL_VISITS, TRIAL_PLIES = 8, 24


def judge_and_try(path: str | Path, *, work_dir: str | Path, options: JudgeOptions) -> Verdict:
    """Judge one file and try it out; arguments and errors are those of `judge`.

    The artefact plays in this process; nothing else of the file is run. A void game says nothing
    about the network: it is an IntakeError.
    """
    verdict = judge(path, work_dir=work_dir, options=options)
    if verdict.onnx_path is None or verdict.manifest is None:  # refused
        return verdict
    record = _trial_game(verdict.onnx_path, verdict.manifest)
    if record.kind == PLAYED:
        return verdict
    if record.kind == VOID:
        raise IntakeError(f"the game to try the network in broke off: {record.reason}")
    failed = fault("game", seed=verdict.manifest.seed, reason=record.reason,
                   instead=_remedy(record.reason))
    return Verdict(False, (failed,), None, None)


def _remedy(reason: str) -> str:
    """Return what to do about answers that a search refused with this error."""
    for part, remedy in (("the value must be", END_WITH_SIGMOID), ("the policy", END_WITH_SOFTMAX)):
        if part in reason:
            return remedy
    return LOOK_AT_OUTPUTS


def _trial_game(onnx_path: Path, manifest: Manifest) -> GameRecord:
    """Return a game that begins with moves of a real one; the verdict's seed decides it."""
    seed, sha256 = manifest.seed, manifest.sha256
    opening = draw_opening(seed)
    max_plies = len(opening) + TRIAL_PLIES
    options = EventOptions(visits=TRIAL_VISITS, max_plies=max_plies, opening_plies=0)
    job = GameJob("trial", "trial", 0, "black", "white", sha256, sha256, opening, seed)
    evaluator = open_evaluator(onnx_path, options.batch_size)
    black, white = (
        make_player(evaluator, options, 2 * seed + number) for number in range(2)
    )
    return play_game(job, black, white, options)

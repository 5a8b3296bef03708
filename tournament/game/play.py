"""One game by docs/teacher/rules.md: a win, a forfeit or a void, never an exception.

A game ends early where the winner is certain, or where both networks agree long.
"""

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

from golois.constants import BOARD_SIZE
from golois.games.game import Game
from golois.games.rules import Go
from golois.go.board import Board
from golois.go.coords import BLACK, WHITE
from golois.kit.command import one_line
from tournament.errors import NetworkError
from tournament.game.job import GameJob
from tournament.game.loop import COLOURS, Outcome, play_out, scored, won
from tournament.game.options import EventOptions
from tournament.game.record import FORFEIT, VOID, GameRecord, utc_now
from tournament.players.protocol import Choice, Player


def play_game(
    job: GameJob,
    black: Player,
    white: Player,
    options: EventOptions,
    on_move: Callable[[int, Choice | None], None] = lambda num_plies, choice: None,
    on_warm_up: Callable[[str], None] = lambda colour: None,
) -> GameRecord:
    """Play one game to its end: two passes, the ply cap, adjudication, or a network's failure.

    Both players are fresh. `on_warm_up` gets the colour of a network before its first evaluation.
    `on_move` gets the number of plies and None once both are warm, then the same after every move
    with what was chosen.
    """
    started_at = utc_now()
    moves: list[Choice] = []
    players = {"black": black, "white": white}
    try:
        outcome = _warm_up(job, players, on_warm_up) or _play(job, players, options, moves, on_move)
    except Exception as error:
        outcome = Outcome("Void", None, VOID, one_line(f"{type(error).__name__}: {error}"))
    return _record(job, options, started_at, outcome, moves)


def void_record(job: GameJob, options: EventOptions, reason: str) -> GameRecord:
    """Return the record of a game that could not be played through no fault of its players."""
    return _record(job, options, utc_now(), Outcome("Void", None, VOID, one_line(reason)), [])


def forfeit_record(job: GameJob, options: EventOptions, colour: str, reason: str) -> GameRecord:
    """Return the record, without moves, of a game that this colour's network lost by failing."""
    return _record(job, options, utc_now(), _forfeit(colour, job, reason), [])


def _warm_up(
    job: GameJob, players: Mapping[str, Player], on_warm_up: Callable[[str], None]
) -> Outcome | None:
    for colour, player in players.items():
        on_warm_up(colour)
        try:
            player.warm_up()
        except NetworkError as error:
            return _forfeit(colour, job, error)
    return None


def _play(
    job: GameJob,
    players: Mapping[str, Player],
    options: EventOptions,
    moves: list[Choice],
    on_move: Callable[[int, Choice | None], None],
) -> Outcome:
    game = Game(Go(BOARD_SIZE, options.komi, passes="arena"))
    for point in job.opening:
        game.play(point)
    on_move(game.num_moves, None)

    def note(choice: Choice) -> None:
        moves.append(_rounded(choice))
        on_move(game.num_moves, moves[-1])

    black, white = players["black"], players["white"]
    try:
        return play_out(
            game, black, white, decided=lambda: _decided(game, moves, options), on_choice=note
        )
    except NetworkError as error:
        return _forfeit(COLOURS[game.to_play], job, error)


def _rounded(choice: Choice) -> Choice:
    budget_seconds = choice.budget_seconds and round(choice.budget_seconds, 4)
    cpu_seconds, value_white = round(choice.cpu_seconds, 4), round(choice.value_white, 4)
    return Choice(choice.point, choice.num_visits, cpu_seconds, value_white, budget_seconds)


def _decided(game: Game, moves: Sequence[Choice], options: EventOptions) -> Outcome | None:
    if game.num_moves >= options.max_plies:
        return scored(game)
    if not options.resign:
        return None
    values_white = [move.value_white for move in moves]
    if winner := winner_by_settled_points(game.board(), options.komi):
        reason = "settled points alone win"
    elif winner := agreed_winner(values_white, options.resign_value, options.resign_plies):
        reason = (
            f"{options.resign_plies} moves in a row gave the loser "
            f"{100 * options.resign_value:g} % or less"
        )
    else:
        return None
    return won(winner, "R", f"adjudicated, {reason}")


def winner_by_settled_points(board: Board, komi: float) -> str | None:
    """Return the colour that wins by its settled points alone, "black" or "white", or None."""
    settled = board.settled()
    black, white = ((settled == colour).sum() for colour in (BLACK, WHITE))
    if 2 * black - settled.size > komi:
        return "black"
    return "white" if 2 * white - settled.size > -komi else None


def agreed_winner(
    values_white: Iterable[float], resign_value: float, resign_plies: int
) -> str | None:
    """Return the colour that wins where `resign_plies` moves in a row gave the other no chance.

    `values_white` has P(White wins) as each mover saw it. `resign_value`, 0 … 0.5, counts as no
    chance; 0 plies means never. In a run of two or more moves both networks have agreed.
    """
    leader, streak = None, 0
    for value_white in values_white:
        before = leader
        leader = _leader(value_white, resign_value)
        streak = streak + 1 if leader == before else 1
        if leader and streak == resign_plies:
            return leader
    return None


def _leader(value_white: float, resign_value: float) -> str | None:
    if value_white <= resign_value:
        return "black"
    return "white" if value_white >= 1 - resign_value else None


def _forfeit(colour: str, job: GameJob, error: NetworkError | str) -> Outcome:
    winner = "white" if colour == "black" else "black"
    return won(winner, "F", one_line(f"{getattr(job, colour)}: {error}"), FORFEIT)


def _record(
    job: GameJob,
    options: EventOptions,
    started_at: str,
    outcome: Outcome,
    moves: Sequence[Choice],
) -> GameRecord:
    return GameRecord(
        game_id=job.game_id,
        black=job.black,
        white=job.white,
        black_sha256=job.black_sha256,
        white_sha256=job.white_sha256,
        **asdict(outcome),
        opening=job.opening,
        moves=tuple(moves),
        komi=options.komi,
        host=platform.node(),
        started_at=started_at,
        pair_id=job.pair_id,
        seed=job.seed,
        finished_at=utc_now(),
        cpu_model=cpu_model(),
    )


@cache
def cpu_model() -> str:
    """Return the processor's name, such as "AMD EPYC 9654", or its architecture if unknown."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())

"""`analyze`: a network looks at a game, for a lesson."""

import argparse
from pathlib import Path
from types import ModuleType

from rich.progress import track

from golois.constants import TOURNAMENT_KOMI
from golois.errors import DataFormatError, GoloisError
from golois.go.board import NAMES
from golois.go.coords import point_to_gtp
from golois.kit.command import escaped
from golois.kit.console import Console
from golois.kit.files import write_whole
from golois.records.packing import MAX_KOMI
from golois.sgf.reading import SgfGame, read_sgf
from tournament.commands.arguments import finite, network_path
from tournament.commands.output import output_file, refuse_to_overwrite
from tournament.errors import OptionsError
from tournament.intake.artefact import OpenedNetwork, open_network
from tournament.review.commented_sgf import commented_sgf, without_mistakes
from tournament.review.game_review import (
    MoveReview,
    ReviewOptions,
    largest_losses,
    mistakes,
    review_moves,
    review_positions,
)
from tournament.review.second_opinion import SecondOpinion, largest_differences, second_opinions

NUM_PICTURES = 3


def add_analyze_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    default = ReviewOptions()
    parser.add_argument(
        "network", type=network_path, metavar="NET",
        help="a run's folder, an .h5 or .keras, an artefact of a league (.onnx), or katago:FILE",
    )
    parser.add_argument("game", type=Path, metavar="GAME.sgf", help="its first game is analysed")
    parser.add_argument(
        "-o", "--output", type=output_file, required=True, metavar="OUT.sgf",
        help="the annotated game",
    )
    parser.add_argument(
        "--teacher", type=network_path, metavar="FILE",
        help="a second opinion: a network of KataGo (.bin.gz), or any other network",
    )
    parser.add_argument(
        "--png",
        action="store_true",
        help="also a curve of the values, and boards with policies",
    )
    parser.add_argument(
        "--move",
        type=int,
        action="append",
        default=[],
        metavar="N",
        dest="numbers",
        help=f"draw a board of move N; repeatable (default: the {NUM_PICTURES} worst mistakes)",
    )
    parser.add_argument(
        "--visits",
        type=int,
        default=default.visits,
        help=f"visits of each position (default {default.visits})",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        default=default.threshold,
        metavar="P",
        help="a move is a mistake if it loses this much of the chance of winning "
        f"(default {default.threshold})",
    )
    parser.add_argument(
        "--komi",
        type=finite,
        help=f"points for White (default: the file's, else {TOURNAMENT_KOMI})",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the search (default 0)")


def analyze_command(arguments: argparse.Namespace) -> int:
    """Search the whole game, then write the commented game and any pictures."""
    options = ReviewOptions(
        visits=arguments.visits, threshold=arguments.threshold, seed=arguments.seed
    )
    game = _read(arguments)
    pictures = _pictures_module() if arguments.png or arguments.numbers else None
    komi = next(k for k in (arguments.komi, game.komi, TOURNAMENT_KOMI) if k is not None)
    network = open_network(arguments.network, is_timed=False)
    teacher = open_network(arguments.teacher, is_timed=False) if arguments.teacher else None
    moves = _review(game, komi, network, options)
    opinions = []
    if teacher:
        names = (escaped(network.name), escaped(teacher.name))
        opinions = second_opinions(names, moves, _review(game, komi, teacher, options))
    networks = [one for one in (network, teacher) if one]
    files = {arguments.output: _sgf(game, komi, networks, options, moves, opinions)}
    if pictures is not None:
        files |= _pictures(pictures, arguments, game, moves)
    for path, content in files.items():
        write_whole(path, content)
    _print_mistakes(moves, options.threshold)
    for opinion in largest_differences(opinions):
        print(opinion)
    print(f"written: {', '.join(map(str, files))}")
    return 0


def _read(arguments: argparse.Namespace) -> SgfGame:
    """Return the game, checked: its moves are legal and include those of --move."""
    path = arguments.game
    for what, read in (
        ("game", path), ("network", arguments.network), ("network", arguments.teacher)
    ):  # fmt: skip
        if read is not None:
            refuse_to_overwrite(what, read, arguments.output)
    try:
        game = read_sgf(path.read_bytes())
        game.replay()
        if not game.moves:
            raise DataFormatError("the game has no moves")
    except GoloisError as error:
        raise DataFormatError(f"{path}: {error}") from error
    for number in arguments.numbers:
        if not 1 <= number <= len(game.moves):
            raise OptionsError(f"--move must be from 1 to {len(game.moves)}, not {number}")
    komi = arguments.komi or 0.0
    if abs(komi) > MAX_KOMI or 4 * komi % 1:
        raise OptionsError(
            f"--komi must be quarters of points from −{MAX_KOMI} to {MAX_KOMI}, not {komi}"
        )
    return game


def _review(
    game: SgfGame, komi: float, network: OpenedNetwork, options: ReviewOptions
) -> list[MoveReview]:
    console = Console(stderr=True)
    try:
        positions = list(
            track(
                review_positions(game, komi, network.evaluator, options),
                "positions",
                total=len(game.moves) + 1,
                console=console,
                transient=True,
                disable=not console.is_terminal,
            )
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped; nothing was written") from None
    return review_moves(game, positions)


def _sgf(
    game: SgfGame,
    komi: float,
    networks: list[OpenedNetwork],
    options: ReviewOptions,
    moves: list[MoveReview],
    opinions: list[SecondOpinion],
) -> bytes:
    names = (f"{escaped(one.name)} (SHA-256 {one.sha256[:12]})" for one in networks)
    reviewer = f"{' and '.join(names)}, {options.visits} visits a position, seed {options.seed}"
    return commented_sgf(game, komi, moves, options.threshold, reviewer, opinions).encode()


def _pictures_module() -> ModuleType:
    try:
        from tournament.review import pictures
    except ImportError as error:
        raise OptionsError(f"pictures need matplotlib (pip install matplotlib): {error}") from error
    return pictures


def _pictures(
    pictures: ModuleType, arguments: argparse.Namespace, game: SgfGame, moves: list[MoveReview]
) -> dict[Path, bytes]:
    """Write the curve, and a board for each requested move, by default the worst moves."""
    beside = arguments.output.with_suffix("")
    players = " – ".join(filter(None, (game.black, game.white)))
    title = players or escaped(arguments.game.name)
    curve = pictures.value_curve(moves, arguments.threshold, f"{title}  {game.result}".strip())
    files = {Path(f"{beside}_values.png"): curve}
    worst = mistakes(moves, arguments.threshold) or largest_losses(moves)
    for number in arguments.numbers or [move.number for move in worst[:NUM_PICTURES]]:
        picture = pictures.board_picture(game.replay(number - 1), moves[number - 1])
        files[Path(f"{beside}_move_{number:03}.png")] = picture
    return files


def _print_mistakes(moves: list[MoveReview], threshold: float) -> None:
    worst = mistakes(moves, threshold)
    for move in worst:
        print(
            f"move {move.number}, {NAMES[move.colour]} {point_to_gtp(move.point)}: "
            f"{100 * move.loss:.0f} % lost; "
            f"the search prefers {point_to_gtp(move.before.candidates[0].point)}"
        )
    if not worst:
        print(without_mistakes(moves, threshold))

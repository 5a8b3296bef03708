"""Measure a saved network on held-out games, or ask it one of three questions.

    python evaluate.py runs/mine/best.h5                 on the games held out from its training
    python evaluate.py mine.h5 --data other.games --out report
    python evaluate.py mine.h5 --teacher b15.bin.gz      and where does KataGo disagree?
    python evaluate.py mine.h5 --probe ladder            can a head on the trunk tell who wins?
    python evaluate.py mine.h5 --probe circular          whose is a group around enemy stones?
    python evaluate.py mine.h5 --probe attention --point Q16
    python evaluate.py mine.h5 --gtp                     ownership and attention in GoGui

The file is never changed, and none of its code is run. --out gets what is printed as JSON, and
pictures as PNG. docs/student/evaluate.md says what each number means. Bad input is one sentence and
exit code 2.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from golois.kit.command import imports_in_words

with imports_in_words("evaluate.py"):
    from golois.constants import PASS, TOURNAMENT_KOMI
    from golois.go.coords import gtp_to_point, point_to_gtp
    from golois.go.symmetry import NUM_SYMMETRIES
    from golois.kit.command import UsageError, escaped, run_in_words
    from golois.kit.console import Progress
    from golois.kit.files import sha256_of, write_whole
    from golois.kit.run_folder import name_of_file, write_json
    from golois.sgf.reading import read_sgf
    from models.evaluation import tables
    from models.evaluation.options import Options, parse_arguments
    from models.evaluation.positions import Split, choose_split, held_out_positions, open_datasets
    from models.evaluation.probes.circular import generated_rings, read_marked_sgf
    from models.evaluation.probes.ladder_positions import board_of, find_ladders
    from models.evaluation.probes.races import generated_races
    from models.training.quiet import import_keras_quietly

NUM_RINGS = 24
SETS = ("training", "test")  # of ladders
TIMED_BATCHES = (1, 32)

# Held-out games


def evaluate(options: Options, network: Any) -> dict[str, Any]:
    """Measure policy, value and ownership on held-out positions, and the speed."""
    from models.evaluation.measure import measure, predictions
    from models.evaluation.network import device, on_one_core
    from models.evaluation.pictures import calibration_picture
    from models.evaluation.teacher import Teacher

    teacher = Teacher(options.teacher) if options.teacher else None
    split = split_of(options)
    datasets = open_datasets(split)
    positions = held_out_positions(datasets, options.positions)
    out = tables.console()
    out.print(
        f"{len(positions):,} positions of {positions.num_games:,} games, seed {split.seed}, "
        f"fraction {split.fraction} of {', '.join(map(str, split.files))}: {split.remark}"
    )
    wall, cpu = time.perf_counter(), time.process_time()
    with Progress(out, "asking the network", len(positions)) as steps:
        answers = predictions(network.predict, positions, steps.show)
    total = {
        "seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "answers": NUM_SYMMETRIES * len(positions),
    }
    report = measure(answers, positions)
    with on_one_core() as core:
        timed = {size: network.milliseconds(size) for size in TIMED_BATCHES}
    speed = {"device": device(), "core": core, "milliseconds": timed, "total": total}
    shown = [*tables.prediction_tables(report), tables.speed_table(speed)]
    if teacher:
        report["teacher"] = compared(options, teacher, answers["one_view"], datasets, positions)
        shown += tables.teacher_tables(report["teacher"])
    for table in shown:
        out.print()
        tables.show(table)
    if report["calibration"]["one_view"]["bins"]:
        picture = calibration_picture(report, name_of_file(options.network))
        save_picture(options, picture, "calibration.png")
    described = {**asdict(split), "files": [str(path) for path in split.files]}
    return {"split": described, "num_games": positions.num_games, **report, "speed": speed}


def compared(options: Options, teacher: Any, answers: Any, datasets: Any, positions: Any) -> Any:
    """Compare a network's answers with the teacher's, and draw where they differ most."""
    from models.evaluation.pictures import gallery_picture
    from models.evaluation.teacher import compare, records_of, teacher_outputs

    with Progress(tables.console(), "asking the teacher", len(positions)) as steps:
        records = records_of(datasets, positions)
        said = teacher_outputs(teacher.network, teacher.predict, records, steps.show)
    report = compare(answers, said, positions)
    if report["disagreements"]:
        picture = gallery_picture(report["disagreements"], "the teacher's")
        save_picture(options, picture, "disagreements.png")
    known_as = {"name": teacher.network.name, "sha256": teacher.sha256}
    return {"teacher": known_as, **report}


def split_of(options: Options) -> Split:
    """Return the games to take, and which of them are held out."""
    return choose_split(
        options.network, options.data, options.seed, options.validation_fraction
    )


# Probes


def probe_ladder(options: Options, network: Any) -> dict[str, Any]:
    """Train a head on the frozen trunk to tell who wins ladders of real games."""
    from models.evaluation.probes.ladder import ROUNDS, masked, probe_ladders
    from models.evaluation.probes.ladder_sgf import ladders_text, read_ladders

    files = {name: options.out / f"ladders_{name}.sgf" for name in SETS} if options.out else {}
    if taken := {path.resolve() for path in files.values()} & {p.resolve() for p in options.sgf}:
        raise UsageError(f"--out would overwrite {min(taken)} of --sgf: choose another folder")
    marked = read_ladders(options.sgf) if options.sgf else None
    split = split_of(options)
    datasets = open_datasets(split)
    out = tables.console()
    network.trunk()  # a network without one is known before the games are searched
    num_games = sum(len(dataset.file) for dataset in datasets)
    with Progress(out, "searching games for ladders", num_games) as steps:
        training, test = find_ladders(datasets, split.seed, steps.show)
    for path, ladders in zip(files.values(), (training, test), strict=False):
        write_whole(path, ladders_text(ladders).encode(), durable=False)
    test = marked or test
    if options.mask_ladders:
        training, test = masked(training), masked(test)
    with Progress(out, "training the head, rounds", ROUNDS) as steps:
        report = probe_ladders(network, training, test, split.seed, steps.show)
    tables.show(tables.ladder_table(report))
    return {
        "files": [str(path) for path in split.files],
        "sgf": [str(path) for path in options.sgf],
        "seed": split.seed,
        "mask_ladders": options.mask_ladders,
        **report,
    }


def probe_circular(options: Options, network: Any) -> dict[str, Any]:
    """Ask for the owner of circular groups, generated or of marked SGF files."""
    from models.evaluation.probes.circular import probe_circles

    if options.sgf:
        positions = [read_marked_sgf(path) for path in options.sgf]
    else:
        generated = generated_races if options.races else generated_rings
        positions = list(generated(NUM_RINGS, options.seed or 0))
    rows = probe_circles(network, positions)
    mean = sum(row["mse"] for row in rows) / len(rows)
    tables.show(tables.circular_table(rows, mean))
    return {"races": options.races, "mean_mse": mean, "positions": rows}


def probe_attention(options: Options, network: Any) -> dict[str, Any]:
    """Show what each head looks at from one point of one position."""
    from models.evaluation.pictures import attention_picture
    from models.evaluation.probes.attention import AttentionReader, contrasted, drawn

    board, planes = shown_position(options)
    maps = AttentionReader(network).maps(planes)
    if options.point:
        point = gtp_to_point(options.point)
        if point == PASS:
            raise UsageError("--point must be a point of the board, not a pass")
    else:
        point = int(network.predict(planes[None]).policy[0].argmax())
    out = tables.console()
    out.print(str(board))
    for item in maps:
        out.print(f"\nblock {item.block}, head {item.head}, from {point_to_gtp(point)}")
        shades = item.map_of(point)
        out.print(drawn(contrasted(shades) if options.contrast else shades, point))
    picture = attention_picture(board.stones(), maps, point, contrast=options.contrast)
    save_picture(options, picture, "attention.png")
    return {
        "point": point_to_gtp(point),
        "stones": board.stones().tolist(),
        "heads": [
            {"block": m.block, "head": m.head, "weights": m.weights[point].tolist()} for m in maps
        ],
    }


def shown_position(options: Options) -> tuple[Any, Any]:
    """Return the board and planes of the SGF's last position, else of a held-out one."""
    if options.sgf:
        game = read_sgf(options.sgf[0].read_bytes())
        board = game.replay()
        return board, board.planes(TOURNAMENT_KOMI if game.komi is None else game.komi)
    planes = held_out_positions(open_datasets(split_of(options)), 1).planes()[0]
    return board_of(planes), planes


# A Go program


def show_over_gtp(options: Options, network: Any, sha256: str) -> None:
    """Answer a Go program on standard input and output until it quits."""
    from models.evaluation.probes.attention import Insight
    from tournament.gtp.game import GameCommands, GtpGame
    from tournament.gtp.gogui import InsightCommands
    from tournament.gtp.protocol import Answers, Lines, Session

    game = GtpGame(TOURNAMENT_KOMI)
    commands = InsightCommands(game, Insight(network, options.contrast))
    handlers = {**GameCommands(game).handlers(), **commands.handlers()}
    lines, answers = Lines(sys.stdin.fileno()), Answers(sys.stdout)
    known_as = (escaped(name_of_file(options.network)), sha256[:12])
    Session(*known_as, lines, answers, handlers).run()


# Output


def save_picture(options: Options, figure: Any, name: str) -> None:
    """Write a matplotlib figure into --out, if there is one."""
    if options.out:
        write_whole(options.out / name, figure.savefig, durable=False)


def save_report(options: Options, report: dict[str, Any], network: Any, sha256: str) -> None:
    """Write a report with what was asked and of whom into --out, if there is one."""
    if not options.out:
        return
    described = {
        "network": {
            "path": str(options.network),
            "sha256": sha256,
            "parameters": network.model.count_params(),
        },
        **report,
    }
    write_json(options.out / f"{options.probe or 'evaluation'}.json", described)
    print(f"\nwritten into {options.out}")


def run(argv: Sequence[str] | None) -> int:
    """Do what the command line says; return the exit code."""
    options = parse_arguments(argv, __doc__)
    if not options.network.is_file():
        raise UsageError(f"there is no file {options.network}: give the .h5 of a network")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)  # one that can't be: known before minutes
    import_keras_quietly()  # takes seconds, so only after the quick checks
    network, sha256 = loaded(options.network)
    if options.gtp:
        show_over_gtp(options, network, sha256)
        return 0
    ask = {
        "": evaluate,
        "ladder": probe_ladder,
        "circular": probe_circular,
        "attention": probe_attention,
    }[options.probe]
    save_report(options, ask(options, network), network, sha256)
    return 0


def loaded(path: Path) -> tuple[Any, str]:
    """Load a network and the digest of its file, which a training may replace meanwhile."""
    from models.evaluation.network import load_network

    while True:
        sha256 = sha256_of(path)
        network = load_network(path)
        if sha256_of(path) == sha256:
            return network, sha256


def main(argv: Sequence[str] | None = None) -> int:
    """Run, and turn errors into one sentence and an exit code."""
    return run_in_words("evaluate.py", lambda: run(argv))


if __name__ == "__main__":
    sys.exit(main())

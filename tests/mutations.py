"""Seeded faults: each is put into a copy of the sources, where tests that are named must fail.

    python tests/mutations.py                    all of them; an hour and more
    python tests/mutations.py ladder ko          these
    python tests/mutations.py --tree ../other    of another checkout, with the tests that it has

A row has no file: its old text stands in exactly one source, and a move of code changes no row.
The exit code is 1 when a fault escapes. Run it before and after a change to the tests: what was
caught before should not escape after.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("*.py", "golois/**/*", "models/**/*.py", "tournament/**/*.py", "papers/**/*.py",
           "selfplay/**/*.py")
NATIVE = "native"  # in place of tests: make test-native

PARITY = "tests/integration/intake/test_intake_parity.py"
FAULTS = "tests/integration/intake/test_intake_faults.py"
JUDGE = "tests/integration/intake/test_intake_judge.py"
SUBMIT = "tests/integration/intake/test_submit.py"
TRAIN = "tests/integration/models/test_train.py"
COUNTS = "tests/unit/models/test_models.py -k parameter_counts"


@dataclass(frozen=True)
class Mutation:
    """A fault: a text of the sources, what takes its place, and the tests that should see it."""

    name: str
    old: str
    new: str
    tests: str


MUTATIONS = (
    # What the intake computes.
    Mutation("pooling-kind", '"MaxPooling2D": LayerKind(_WINDOW, partial(_pool, "max"))',
             '"MaxPooling2D": LayerKind(_WINDOW, partial(_pool, "average"))', PARITY),
    Mutation("group-norm", "for axis in range(len(split)) if axis != len(split) - 2)",
             "for axis in range(len(split)) if axis != len(split) - 1)", PARITY),
    Mutation("rescaling", "ops.BatchNorm.of(scale, offset)",
             "ops.BatchNorm.of(scale, 0 * offset)", PARITY),
    Mutation("slices", "zip(*((r.start, r.stop, r.step) for r", "zip(*((r.start, r.stop, 1) for r",
             PARITY),
    Mutation("concatenate", "return builder.add(ops.Concat(axis), *inputs)",
             "return builder.add(ops.Concat(axis), *inputs[::-1])", PARITY),
    Mutation("subtract", "ops.Combine(kind), *map(builder.reshaped, inputs, full)",
             "ops.Combine(kind), *map(builder.reshaped, inputs[::-1], full[::-1])", PARITY),
    Mutation("fold", "    if uses[at] != 1:\n        return False\n", "", PARITY),
    # What the intake refuses.
    Mutation("not-finite", "if not np.isfinite(numbers).all():", "if np.isnan(numbers).all():",
             FAULTS),
    Mutation("links", "if link.special:", 'if link.special == "a soft link":', FAULTS),
    Mutation("cycles", "if address in seen:", "if address is None:", FAULTS),
    Mutation("shared-numbers", "if sizes[False] > file_bytes:",
             "if sizes[False] > 100 * file_bytes:", FAULTS),
    Mutation("slashes", 'if b"/" in link.name:', 'if b"//" in link.name:', FAULTS),
    Mutation("stored-bytes", "if declared != len(found):", "if declared < len(found):", FAULTS),
    Mutation("many-calls", "MAX_CALLS = 20_000", "MAX_CALLS = 30_000", FAULTS),
    Mutation("size-limit", "FLOPS_PER_PARAMETER = 5_000", "FLOPS_PER_PARAMETER = 500",
             "tests/integration/intake/test_intake_hostile_answers.py"),
    Mutation("sandbox-time", "    if late.is_set():\n", "    if late is None:\n",
             "tests/integration/intake/test_intake_sandbox.py"),
    Mutation("sandbox-required", "    if required and missing:\n", "    if missing and False:\n",
             "tests/integration/intake/test_intake_sandbox.py"),
    Mutation("zip-and-hdf5", "if start is not None and holds_zip(data):",
             "if start is None and holds_zip(data):",
             "tests/integration/intake/test_intake_archive.py"),
    Mutation("rounding", "result = _to_steps(numbers, top - BINADES + 1)",
             "result = _to_steps(numbers)",
             "tests/unit/tournament/test_graph.py"),
    Mutation("budget", "if parameters > max_params:", "if parameters > 2 * max_params:", JUDGE),
    Mutation("distribution", "POLICY_TOLERANCE = 1e-3", "POLICY_TOLERANCE = 1e9", JUDGE),
    Mutation("tuned", "tuning=_tune(baked.payload, options, usage)", "tuning=Tuning()", JUDGE),
    # Handing in.
    Mutation("submit-tunes", "tune_seconds = 0.0 if options.check_only else MAX_TUNE_SECONDS",
             "tune_seconds = 0.0", SUBMIT),
    Mutation("check-only", "filed = verdict.accepted and not options.check_only",
             "filed = verdict.accepted", SUBMIT),
    Mutation("replace", "elif filed[name].sha256 != sha256 and not replace:",
             "elif filed[name].sha256 != sha256:", SUBMIT),
    Mutation("contenders", "if one.rate >= _CONTENDER * fastest",
             "if one.rate <= _CONTENDER * fastest", "tests/unit/tournament/test_tuning.py"),
    # Training.
    Mutation("positions", "self.num_positions += num_positions",
             "self.num_positions = num_positions",
             "tests/unit/models/test_history.py -k epoch_means"),
    Mutation("best", "if loss < self.best_loss:", "if loss > self.best_loss:",
             f"{TRAIN} -k best_is_kept"),
    Mutation("resumed-batches", "prefetched(sample, state.step)", "prefetched(sample, 0)",
             f"{TRAIN} -k 'killed or ctrl_c'"),
    Mutation("saved-on-ctrl-c", "    folder.save(model, state)\n    reporter.say(\n",
             "    reporter.say(\n", f"{TRAIN} -k 'interrupted or ctrl_c'"),
    Mutation("init-once", "if begins and options.init_from:", "if options.init_from:",
             f"{TRAIN} -k before_its_first_epoch"),
    Mutation("teacher", 'before.get("teacher") != description["teacher"]',
             'before.get("teacher") == 0', f"{TRAIN} -k taught"),
    Mutation("jit", '"muon_blocks_only", "clip_norm", "ema", "jit"]',
             '"muon_blocks_only", "clip_norm", "ema"]', f"{TRAIN} -k deeper"),
    Mutation("precision", "PackedInput(network, options.aux, options.precision, games.has_targets",
             'PackedInput(network, options.aux, "float32", games.has_targets',
             f"{TRAIN} -k deeper"),
    Mutation("cosine", "(1 + cos(pi * epochs / period)) / 2",
             "(1 - cos(pi * epochs / period)) / 2", "tests/unit/models/test_schedules.py"),
    Mutation("statistics", "count / (count + 1)", "count / (count + 2)",
             "tests/unit/models/test_averaging.py"),
    Mutation("mixture", 'np.searchsorted(self._starts(split), positions, side="right") - 1',
             'np.searchsorted(self._starts(split), positions, side="left") - 1',
             "tests/unit/golois/test_mixture.py"),
    Mutation("hard examples", "ops.top_k(of_rows,", "ops.top_k(-of_rows,",
             "tests/unit/models/test_losses.py"),
    Mutation("cautious decay", "* old >= 0", "* old <= 0", "tests/unit/models/test_optimizers.py"),
    Mutation("optimism", "(batch.surprise / SPREAD - SURPRISING)",
             "(batch.surprise / SPREAD + SURPRISING)", "tests/unit/models/test_optimism.py"),
    Mutation("later values", "weight_ *= fading_;", "weight_ *= 1;",
             "tests/unit/golois/test_later_values.py"),
    # Networks.
    Mutation("squeeze", "max(1, channels // ratio)", "channels // ratio + 1", COUNTS),
    Mutation("squeeze-position", 'depthwise(y, 3), "relu")\n    if se_position == "expanded":',
             'depthwise(y, 3), "relu")\n    if se_position == "end":', COUNTS),
    Mutation("spatial-average", "x = layers.ZeroPadding2D(1)(x)\n    x = layers.AveragePooling2D(",
             "x = layers.AveragePooling2D(", COUNTS),
    Mutation("restnet-token", "if moves > num_points:", "if moves >= num_points:", COUNTS),
    Mutation("restnet-dense", "ceil(moves / num_points)", "moves // num_points", COUNTS),
    Mutation("restnet-wide", '2 * x.shape[-1], "silu"', 'x.shape[-1], "silu"', COUNTS),
    Mutation("nogozero-outcomes", 'if outcomes == "one":', 'if outcomes != "none":', COUNTS),
    Mutation("pooling-of-values", '"max": layers.GlobalMaxPooling2D}',
             '"max": layers.GlobalAveragePooling2D}', "tests/unit/models/test_models.py -k naive"),
    # The league.
    Mutation("openings", "(int(meeting, 16) + number) % len(book)", "int(meeting, 16) % len(book)",
             "tests/unit/tournament/test_schedule.py"),
    Mutation("elo", "(elo[game.white] - elo[game.black]) / 400",
             "(elo[game.black] - elo[game.white]) / 400",
             "tests/unit/tournament/test_rating.py"),
    Mutation("wilson", "(num_wins + z2 / 2) / (num_games + z2)",
             "(num_wins + z2) / (num_games + z2)", "tests/unit/tournament/test_rating.py"),
    Mutation("adjudication", "if 2 * black - settled.size > komi:",
             "if 2 * black - settled.size > -komi:", "tests/unit/tournament/test_adjudication.py"),
    Mutation("streak", "streak = streak + 1 if leader == before else 1", "streak = streak + 1",
             "tests/unit/tournament/test_adjudication.py"),
    Mutation("season", "return round(sum(placing.", "return round(max(placing.",
             "tests/unit/tournament/test_season.py"),
    Mutation("superseded", ".format(\"'superseded', 'suspended'\")", ".format(\"'suspended'\")",
             "tests/unit/tournament/test_league.py"),
    Mutation("struck", "COUNTS = f\"NOT {_ONE_OF_THEM}\".format(\"'superseded', 'suspended'\")",
             "COUNTS = f\"NOT {_ONE_OF_THEM}\".format(\"'superseded'\")",
             "tests/unit/tournament/test_registry.py"),
    Mutation("seed-of-all", '"\\n".join([secret, *sorted(networks)])', '"\\n".join([secret])',
             "tests/unit/tournament/test_draws.py"),
    Mutation("other-positions", "seed = secrets.randbits(SEED_BITS) if options.seed is None",
             "seed = 0 if options.seed is None",
             "tests/integration/intake/test_intake_hostile_answers.py"),
    Mutation("voids-in-a-row", "voids.clear()", "voids.copy()",
             "tests/unit/tournament/test_plan.py"),
    # Players.
    Mutation("whose-value", "(1 + value_to_play) / 2 if self._to_play == WHITE",
             "(1 + value_to_play) / 2 if self._to_play == BLACK",
             "tests/unit/tournament/test_player.py"),
    Mutation("leaves", "VISITS_PER_LEAF = 8", "VISITS_PER_LEAF = 0",
             "tests/unit/tournament/test_player.py"),
    Mutation("decided", "DECIDED_SHARE = 0.25", "DECIDED_SHARE = 0.5",
             "tests/unit/tournament/test_time_plan.py"),
    Mutation("own-value", "own_value -= child.value_sum_for(root.to_play)",
             "own_value += child.value_sum_for(root.to_play)", NATIVE),
    Mutation("gtp-rows", 'f"{GTP_COLUMNS[column]}{size - row}"',
             'f"{GTP_COLUMNS[column]}{row + 1}"', "tests/unit/golois/test_coords.py"),
    # Self-play.
    Mutation("gate", "share > self.options.gate_threshold", "share >= 0",
             "tests/integration/selfplay/test_selfplay_learner.py -k gate"),
    Mutation("window", "if wanted <= 0 and shard.iteration < iteration:", "if wanted <= 0:",
             "tests/unit/selfplay/test_selfplay_window.py -k window"),
    Mutation("reuse", "// options.batch_size - step)", "// options.batch_size)",
             "tests/unit/selfplay/test_selfplay_window.py -k positions"),
    Mutation("time-left", "sum(seconds) + coming > 60 * options.minutes",
             "coming > 60 * options.minutes", "tests/unit/selfplay/test_selfplay_journal.py"),
    Mutation("all-draws", '{"black": 1.0, None: 0.5}', '{"black": 1.0, None: 1.0}',
             "tests/unit/selfplay/test_selfplay_league.py"),
    Mutation("elo-over-first", "float(ratings.elo[place] - ratings.elo[first])",
             "float(ratings.elo[place])", "tests/unit/selfplay/test_selfplay_league.py"),
    Mutation("early-passes", "len(points) - 2 < games.size**2 / 4", "len(points) - 2 < 0",
             "tests/unit/selfplay/test_selfplay_journal.py"),
    Mutation("beginnings", "1 - len(set(beginnings)) / len(beginnings)",
             "len(set(beginnings)) / len(beginnings)",
             "tests/unit/selfplay/test_selfplay_journal.py"),
    Mutation("whole-search", "weights[learned] -= options.lr * gradient[learned]",
             "weights -= options.lr * gradient", "tests/papers/test_fishnet_command.py"),
    Mutation("selnet", "options.beta * (said - wanted)", "options.beta * (wanted - said)",
             "tests/papers/test_fishnet_command.py -k selnet"),
    # The course's calls.
    Mutation("validation-share", "    if num_rows > most_games(num_positions):",
             "    if num_rows > len(usable):", "tests/unit/golois/test_validation.py"),
    Mutation("planes-of-2020", "(slice(0, 2), slice(11, 17))", "(slice(0, 2), slice(13, 19))",
             "tests/unit/golois/test_course.py"),
    Mutation("choice-of-other-games", "if positions.max(initial=0) >= self._num_positions.sum():",
             "if positions.max(initial=0) > self._num_positions.sum():",
             "tests/unit/golois/test_course.py"),
    Mutation("rest-of-keras", 'fullname.split(".")[0] == "keras"', 'fullname == "keras"',
             "tests/unit/golois/test_legacy.py"),
    # The native core.
    Mutation("ko", "num_captured_stones == 1 && num_stones_[chain] == 1 &&",
             "num_captured_stones == 1 &&", NATIVE),
    Mutation("score", "return owned.black.size() - owned.white.size();",
             "return owned.white.size() - owned.black.size();", NATIVE),
    Mutation("ladder", "if (num_liberties > 2) return false;",
             "if (num_liberties > 3) return false;", NATIVE),
    Mutation("katago-superko", "rules_.ko == KoRule::kSituational && to_play == kWhite",
             "false && to_play == kWhite", NATIVE),
    Mutation("node-values", "return colour == kWhite ? for_white : -for_white;",
             "return colour == kBlack ? for_white : -for_white;", NATIVE),
    Mutation("policy-turned", "policy[to[index]] +=", "policy[index] +=", NATIVE),
    Mutation("winrate-of-black", "to_share(is_white ? *opinion.winrate : 1 - *opinion.winrate)",
             "to_share(*opinion.winrate)", NATIVE),
    Mutation("nogo-captures", "contact.breathes & !contact.captures", "contact.breathes", NATIVE),
    Mutation("hex-neighbours", "beside |= (set - points.left_edge).shifted_up(points.size - 1);",
             "", NATIVE),
)


def sources_of(tree: Path) -> dict[Path, str]:
    """Return the text of each source of a tree."""
    return {
        path: path.read_text("utf-8")
        for pattern in SOURCES
        for path in sorted(tree.glob(pattern))
        if path.suffix in (".py", ".cpp", ".hpp")
    }


def place_of(mutation: Mutation, sources: dict[Path, str]) -> Path:
    """Return the source that holds a mutation's old text, exactly once."""
    found = [path for path, text in sources.items() if mutation.old in text]
    if len(found) != 1 or sources[found[0]].count(mutation.old) != 1:
        places = ", ".join(map(str, found)) or "nowhere"
        raise ValueError(f"{mutation.name}: expected its text once in the sources, not {places}")
    return found[0]


def copy_tree(tree: Path, scratch: Path) -> None:
    """Copy what git knows or does not ignore, and the built core."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=tree, capture_output=True, text=True, check=True,
    )
    names = [name for name in listed.stdout.split("\0") if name and (tree / name).is_file()]
    names += [str(path.relative_to(tree)) for path in (tree / "golois").glob("_native.*")]
    for name in names:
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / name, scratch / name)


def is_caught(mutation: Mutation, path: Path, scratch: Path) -> bool:
    """Return whether a test fails with the fault in its source."""
    whole = path.read_text("utf-8")
    path.write_text(whole.replace(mutation.old, mutation.new), "utf-8")
    try:
        return not passes(mutation.tests, scratch)
    finally:
        path.write_text(whole, "utf-8")


def passes(tests: str, scratch: Path) -> bool:
    """Return whether tests pass in the copy."""
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", *shlex.split(tests)]
    done = subprocess.run(
        ["make", "test-native"] if tests == NATIVE else pytest,
        cwd=scratch,
        env={
            **os.environ,
            "PYTHONPATH": str(scratch),
            "KERAS_FILES": str(scratch.with_name("keras_files")),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if tests != NATIVE and done.returncode not in (0, 1, 2):  # no tests, or no pytest
        raise RuntimeError(done.stdout[-2000:])
    return done.returncode == 0


def judged(mutations: Sequence[Mutation], tree: Path) -> Iterator[tuple[Mutation, Path, bool]]:
    """Yield each mutation with its file and whether it is caught."""
    with tempfile.TemporaryDirectory(prefix="mutations_") as folder:
        scratch = Path(folder) / "tree"
        copy_tree(tree, scratch)
        sources = sources_of(scratch)
        for mutation in mutations:
            path = place_of(mutation, sources)
            yield mutation, path.relative_to(scratch), is_caught(mutation, path, scratch)


def main() -> int:
    """Print a table of what was caught and what escaped."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="of mutations; all when none is named")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout that is tested")
    arguments = parser.parse_args()
    by_name = {mutation.name: mutation for mutation in MUTATIONS}
    if unknown := set(arguments.names) - by_name.keys():
        parser.error(f"no such mutation: {', '.join(sorted(unknown))}")
    chosen = [by_name[name] for name in arguments.names] or MUTATIONS
    escaped = 0
    for mutation, path, caught in judged(chosen, arguments.tree.resolve()):
        escaped += not caught
        verdict = "caught" if caught else "ESCAPED"
        print(f"{verdict:8} {mutation.name:20} {path}  ({mutation.tests})", flush=True)
    print(f"{len(chosen) - escaped} of {len(chosen)} caught")
    return 1 if escaped else 0


if __name__ == "__main__":
    sys.exit(main())

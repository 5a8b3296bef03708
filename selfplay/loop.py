"""The loop of self-play: play, train, bake, gate, measure; a step is done if its file exists."""

import time
from dataclasses import asdict
from functools import partial
from math import nan
from pathlib import Path

from golois.games.game import Game
from golois.kit.console import Reporter
from golois.kit.run_folder import CheckpointError, read_json, write_json
from golois.kit.signals import StopRequest, raise_if_stopped
from selfplay.journal import (
    double_pass_share,
    is_over,
    line,
    read_journal,
    repeated_share,
    warnings,
    write_journal,
)
from selfplay.layout import Layout, first_game, shards_of
from selfplay.learner import Learner
from selfplay.networks import open_network, opened_player
from selfplay.options import Options
from selfplay.oracles import Kept, Won, kept_at_random, kept_wins, read_or_sample
from selfplay.page import show_run
from selfplay.shards import Counts, Gpu, Shards
from selfplay.window import (
    batches_behind,
    inherit,
    inherited,
    open_window,
    steps_allowed,
    steps_before,
    window,
)
from tournament.intake.own_network import bake_own_network
from tournament.matches.match import Match, score_of
from tournament.players.protocol import NewPlayer
from tournament.ratings.ranking import Score

SECONDS_BETWEEN_CURVES = 30


class Loop:
    """A run, from where its files stand; this process holds its folder."""

    def __init__(
        self,
        layout: Layout,
        options: Options,
        learner: Learner,
        reporter: Reporter,
        actors: Shards | Gpu,
        stop: StopRequest,
    ) -> None:
        self.layout = layout
        self.options = options
        self.learner = learner
        self._reporter = reporter
        self._actors = actors
        self._stop = stop
        self._game = Game(options.rules())
        self._won: list[Won] = []
        if layout.checkpoint.exists():
            learner.restore(layout.checkpoint)
        self.rows = read_journal(layout.journal)
        self._drawn_at = -float(SECONDS_BETWEEN_CURVES)

    def run(self) -> None:
        """Run to the end that the options give.

        Raises Stopped: by a signal; the same command goes on from here; CheckpointError: the
        checkpoint is missing, or older than the journal, or another file is damaged.
        """
        self._require_checkpoint()
        self._begin()
        try:
            with self._actors:
                while not is_over(self.options, self.rows):
                    self._iterate(len(self.rows))
        finally:
            if self.rows:
                show_run(self.layout, self.options)

    def _require_checkpoint(self) -> None:
        """Refuse to train what the journal has already with the weights of an earlier iteration."""
        learned = len(self.rows) - 1
        if self.learner.iteration < learned:
            raise CheckpointError(
                f"{self.layout.checkpoint} is missing, or older than iteration {learned} of "
                "journal.csv: put it back, or start a new run"
            )

    def _begin(self) -> None:
        if self.options.is_measured:
            self._won = self._solved()
        started = time.monotonic()
        if self.learner.iteration == 0:
            if self.layout.network(0).exists():
                self.learner.begin_again_from(self.layout.network(0))
            else:
                if self.options.games_from:
                    self._learn_from_earlier()
                self._save_network(0)
            self.layout.pretraining.unlink(missing_ok=True)
        if not self.rows:
            self._bake(0)
            seconds = time.monotonic() - started if self.options.games_from else 0
            self._record({"iteration": 0, "player": 0, "games": 0, "seconds": seconds}, 0)
        if self._won:
            self._reporter.say(
                f"random legal moves keep {kept_at_random(self._won):.1%} of the wins in "
                f"{len(self._won)} solved positions"
            )

    def _solved(self) -> list[Won]:
        if not self.layout.oracle.exists():
            self._reporter.say("solving positions for measurements, once: up to two minutes")
        options = self.options
        rules, count = options.rules(), options.measure_positions
        before_each = partial(raise_if_stopped, self._stop)
        return read_or_sample(self.layout.oracle, rules, count, before_each)

    def _learn_from_earlier(self) -> None:
        inherit(self.layout, self.options)
        games = open_window(self.options, self._window(0))
        num_games, positions = self._games_in_window(0), games.num_positions("train")
        num_steps = steps_before(self.options, num_games, positions)
        self._reporter.say(
            f"trains on {num_games:,} games of {self.options.games_from} first, {num_steps:,} "
            "batches"
        )
        with self._reporter.bar("batches of earlier games", num_steps) as advance:
            self.learner.begin_with_games(
                games, num_steps, self.layout.pretraining, self._stop, advance
            )

    def _window(self, iteration: int) -> list[Path]:
        shards = window(self.options, iteration, inherited(self.layout))
        return [self.layout.games(shard) for shard in shards]

    def _games_in_window(self, iteration: int) -> int:
        return Counts.total(map(Counts.read, self._window(iteration))).games

    def _iterate(self, iteration: int) -> None:
        started = time.monotonic()
        counts = self._play(iteration)
        played = time.monotonic()
        self._train(iteration, counts.positions)
        trained = time.monotonic()
        self._bake(iteration)
        player, share = self._gate(iteration)
        row = self._row(iteration, counts) | {
            "player": player,
            "gate_share": share,
            "seconds_playing": played - started,
            "seconds_training": trained - played,
            "seconds": time.monotonic() - started,
        }
        self._record(row, iteration)
        raise_if_stopped(self._stop)

    def _row(self, iteration: int, counts: Counts) -> dict[str, float]:
        """What the journal says of an iteration, but for the gate and the times."""
        shards = [self.layout.games(shard) for shard in shards_of(self.options, iteration)]
        return {
            **self.learner.state.history[iteration - 1],
            "iteration": iteration,
            "games": iteration * self.options.games_per_iteration,
            "positions": self._positions(iteration),
            "window_games": self._games_in_window(iteration),
            "moves_a_game": counts.moves / counts.games,
            "black_wins": counts.black_wins / counts.games,
            "draws": counts.draws / counts.games,
            "beaten": counts.beaten / counts.games if self.options.victim else nan,
            "resigned": counts.resigned / counts.games,
            "wrong_resignations": (
                counts.wrong_resignations / counts.could_resign if counts.could_resign else nan
            ),
            "double_passes": double_pass_share(shards),
            "repeated": repeated_share(shards),
            "in_network": counts.network_seconds / max(counts.seconds, 1e-9),
        }

    def _play(self, iteration: int) -> Counts:
        shards = shards_of(self.options, iteration)
        artefact = self.layout.artefact(self.player_after(iteration - 1))
        jobs = [
            {
                "artefact": str(artefact),
                "options": asdict(self.options),
                "first_game": first_game(self.options, shard),
                "num_games": self.options.games_per_shard,
                "out": str(self.layout.games(shard)),
                "victim": str(self.layout.victim) if self.options.victim else None,
            }
            for shard in shards
            if not self.layout.games(shard).exists()
        ]
        if jobs:
            about = self._counts(iteration - 1).evaluations if iteration > 1 else 0
            total = about * len(jobs) // len(shards) or None
            with self._reporter.bar(f"iteration {iteration}: positions", total) as advance:
                self._actors.play(jobs, advance)
        return self._counts(iteration)

    def _counts(self, iteration: int) -> Counts:
        shards = shards_of(self.options, iteration)
        return Counts.total(Counts.read(self.layout.games(shard)) for shard in shards)

    def _train(self, iteration: int, new_positions: int) -> None:
        if self.learner.iteration < iteration:
            self._learn(iteration, new_positions)
            self.learner.save(self.layout.checkpoint)
        if not self.layout.network(iteration).exists():
            self._save_network(iteration)

    def _learn(self, iteration: int, new_positions: int) -> None:
        before = self.player_after(iteration - 1)
        if before < iteration - 1:  # the gate has discarded what was learned since
            self.learner.begin_again_from(self.layout.network(before))
        games = open_window(self.options, self._window(iteration))
        all_positions = self._positions(iteration - 1) + new_positions
        num_steps = min(
            steps_allowed(self.options, all_positions, batches_behind(self.rows, before)),
            steps_allowed(self.options, games.num_positions("train"), 0),
        )
        with self._reporter.bar(f"iteration {iteration}: batches", num_steps) as advance:
            self.learner.train(games, num_steps, new_positions, self._stop, advance)

    def _positions(self, iteration: int) -> int:
        history = self.learner.state.history[:iteration]
        return int(sum(row["new_positions"] for row in history))

    def _save_network(self, iteration: int) -> None:
        self.learner.save_network(self.layout.network(iteration))

    def _bake(self, iteration: int) -> None:
        if not self.layout.artefact(iteration).exists():
            bake_own_network(self.layout.network(iteration), self._game)

    def _gate(self, iteration: int) -> tuple[int, float]:
        if not self.options.gate_games:
            return iteration, nan
        path, before = self.layout.gate(iteration), self.player_after(iteration - 1)
        if not path.exists():
            score = self._gate_score(iteration, before)
            counts = {"wins": score.num_wins, "draws": score.num_draws, "losses": score.num_losses}
            result = {**counts, "share": score.winrate, "opponent": before}
            write_json(path, result, indent=None)
        share = read_json(path)["share"]
        return (iteration if share > self.options.gate_threshold else before), share

    def _gate_score(self, iteration: int, before: int) -> Score:
        options, count = self.options, self.options.gate_games
        match = Match.of_pairs(options.rules(), count, options.seed)
        with self._reporter.bar(f"iteration {iteration}: gate games", count) as advance:
            games = match.play(
                lambda: (self._gate_player(iteration), self._gate_player(before)),
                self._stop,
                workers=options.workers,
                on_game=advance,
            )
        return score_of(games)

    def _gate_player(self, iteration: int) -> NewPlayer:
        artefact, options = self.layout.artefact(iteration), self.options
        return opened_player(artefact, options, options.gate_simulations, options.precision)

    def player_after(self, iteration: int) -> int:
        """The network that plays after an iteration: its own, or an earlier one by the gate."""
        return int(self.rows[iteration]["player"])

    def _record(self, row: dict[str, float], iteration: int) -> None:
        kept = self._kept(iteration)
        if kept:
            row |= {
                "kept": kept.share,
                "kept_of_decisive": kept.of_decisive,
                "kept_positions": kept.positions,
            }
        write_journal(self.layout.journal, [*self.rows, row])
        # With the digits of the file, so that a resumed run compares the same numbers.
        self.rows = read_journal(self.layout.journal)
        self._reporter.say(line(row))
        self._reporter.warn(warnings(self.rows))
        if time.monotonic() - self._drawn_at > SECONDS_BETWEEN_CURVES:
            show_run(self.layout, self.options)
            self._drawn_at = time.monotonic()

    def _kept(self, iteration: int) -> Kept | None:
        if not self._won:
            return None
        network = open_network(self.layout.artefact(iteration), self.options)
        return kept_wins(self.options.rules(), self._won, network)

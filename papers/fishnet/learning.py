"""Plays and learns, a block of games at a time; what a kill loses is the block under way."""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from golois.kit.command import UsageError
from golois.kit.console import Reporter
from golois.kit.files import write_whole
from golois.kit.run_folder import DAMAGES, CheckpointError, write_table
from golois.kit.signals import StopRequest, raise_if_stopped
from papers.fishnet.network import INNER, NUM_WEIGHTS, SHORTCUT, IsnNetwork
from papers.fishnet.saved import SavedNetwork
from papers.fishnet.td_game import TdGame, play_td_game
from papers.fishnet.td_options import Layout, Options

COLUMNS = ("games", "moves_a_game", "cut", "black_score", "loss", "seconds")
"""Of the journal: all games so far; of a block the mean moves, the share of games that max_moves
has ended, Black's mean score, nats an output, and seconds."""

SEEDS_A_RUN = 2**32
REPORT_SECONDS = 60.0


@dataclass(frozen=True, eq=False)
class State:
    """A run between blocks: games, weights, float64 [714], rows, float64 [blocks, columns]."""

    games: int
    weights: np.ndarray
    rows: np.ndarray

    @classmethod
    def first(cls, options: Options) -> "State":
        """Before the first game, where the hidden units have no say in the outputs."""
        weights = np.zeros(NUM_WEIGHTS)
        random = np.random.default_rng(options.seed)
        weights[INNER] = random.normal(0, options.hidden_scale, weights[INNER].shape)
        return cls(0, weights, np.empty((0, len(COLUMNS))))

    def save(self, path: Path) -> None:
        """Write the checkpoint."""

        def write(beside: Path) -> None:
            np.savez(beside, games=self.games, weights=self.weights, rows=self.rows)

        write_whole(path, write, durable=False)

    @classmethod
    def load(cls, path: Path) -> "State":
        """Read a checkpoint. Raises CheckpointError: it is damaged."""
        try:
            with np.load(path, allow_pickle=False) as file:
                return cls(int(file["games"]), file["weights"], file["rows"])
        except DAMAGES as error:
            raise CheckpointError(
                f"{path} cannot be read: start a new run, or take a copy of the file"
            ) from error


def played_block(options: Options, state: State, stop: StopRequest) -> State:
    """Play a block of games, and learn from each when it is over.

    Games depend on the options, their numbers and the weights alone, so a resumed run has the same
    weights. Raises Stopped: by a signal; UsageError: the weights are not numbers any more.
    """
    started, weights, games = time.monotonic(), state.weights.copy(), []
    learned = SHORTCUT if state.games < options.shortcut_games else slice(None)
    for number in range(state.games, state.games + options.block_games):
        network = IsnNetwork(weights, options.size)
        game, gradient = play_td_game(
            network, options.of_games(), options.seed * SEEDS_A_RUN + number
        )
        with np.errstate(over="ignore", invalid="ignore"):
            weights[learned] -= options.lr * gradient[learned]
        require_numbers(weights, number + 1)
        games.append(game)
        raise_if_stopped(stop)
    row = _row(games, state.games + len(games), time.monotonic() - started)
    return State(state.games + len(games), weights, np.vstack([state.rows, row]))


def learn(layout: Layout, options: Options, reporter: Reporter, stop: StopRequest) -> State:
    """Play until the run's end, from its checkpoint where there is one.

    `stop` is looked at between games. Raises Stopped: by a signal; the block under way is lost;
    CheckpointError: the checkpoint is damaged or missing; UsageError: the weights are not numbers
    any more.
    """
    state = State.first(options)
    if layout.checkpoint.exists():
        state = State.load(layout.checkpoint)
    elif layout.journal.exists():
        raise CheckpointError(
            f"{layout.checkpoint} is missing: put it back, or start a new run"
        )
    else:
        _keep(layout, options, state)
    reported = time.monotonic()
    while state.games < options.games:
        if options.minutes and state.rows[:, -1].sum() >= 60 * options.minutes:
            break
        state = played_block(options, state, stop)
        if state.games % options.snapshot_games == 0 or state.games == options.shortcut_games:
            _keep(layout, options, state)
        state.save(layout.checkpoint)
        _write_journal(layout.journal, state.rows)
        if time.monotonic() - reported >= REPORT_SECONDS:
            reported = time.monotonic()
            reporter.say(line(state.rows))
    _keep(layout, options, state)
    _write_journal(layout.journal, state.rows)  # a kill after the last checkpoint has left it out
    return state


def line(rows: np.ndarray) -> str:
    """The last block in one line, and the speed of the last ten."""
    games, moves, cut, score, loss, _ = rows[-1]
    latest = rows[-10:]
    speed = latest[:, 0].size * (rows[0, 0] / latest[:, -1].sum())
    return (
        f"{games:,.0f} games, {moves:.1f} moves a game, {cut:.1%} cut, Black's score {score:+.1f}, "
        f"loss {loss:.4f}, {speed:.1f} games/s"
    )


def _row(games: list[TdGame], number: int, seconds: float) -> np.ndarray:
    moves = np.mean([len(game.moves) for game in games])
    cut = np.mean([game.is_cut for game in games])
    score = np.mean([game.score_black for game in games])
    loss = sum(game.loss for game in games) / sum(game.num_outputs for game in games)
    return np.array([number, moves, cut, score, loss, seconds])


def _keep(layout: Layout, options: Options, state: State) -> None:
    saved = SavedNetwork(state.weights, options.scoring(), options.step, chains=options.chains())
    saved.save(layout.network(state.games))


def _write_journal(path: Path, rows: np.ndarray) -> None:
    write_table(path, COLUMNS, [[f"{value:.6g}" for value in row] for row in rows])


def require_numbers(weights: np.ndarray, games: int) -> None:
    """Refuse, by UsageError, weights that a file cannot have: too large, or not numbers."""
    if not np.abs(weights).max() <= np.finfo(np.float32).max:
        raise UsageError(
            f"the weights are not numbers after {games:,} games: begin again with a lower --lr"
        )

"""What a large league costs: its report and pages, and what a budget of games is worth.

The league is synthetic: networks with strengths drawn by seed, and games of the embedded file in
place of theirs, each won by the colour that the strengths drew. Its journal and its site are real
ones, and what is measured is the command, in a process of its own (Linux). The peer is what is
asked for. Pages are opened from the disk in a headless Chromium, if selenium and chromedriver are
there.

With --schedules, so many simulated leagues for each row instead: strengths drawn with a deviation
of 200 Elo, Black worth 30 Elo. Full rounds for all compete with one round followed by the most
informative pairs, eight at a time, as a league on eight cores chooses them. Both play equally many.

    python -m benchmarks.league [--networks 200] [--rounds 1] [--games 20000] [--league DIR]
    python -m benchmarks.league --schedules 300

With --sprt, so many simulated matches for each row instead, each until `play --sprt` would stop:
the normalised Elo is exactly that of one of the two hypotheses.

    python -m benchmarks.league --sprt 10000
"""

import argparse
import hashlib
import itertools
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks.report import DATA, ROOT, children_seconds, show
from golois.go.coords import BLACK, WHITE
from golois.records.packed_file import GameFile, Record
from tournament.game.job import GameJob
from tournament.game.options import EventOptions
from tournament.game.record import GameRecord
from tournament.intake.manifest import Manifest
from tournament.league.games import Target
from tournament.league.league import League
from tournament.players.protocol import Choice
from tournament.ratings.bradley_terry import rate
from tournament.ratings.informative import most_informative
from tournament.ratings.sprt import ELO_PER_DEVIATION, Sprt, likeliest
from tournament.running.opening_book import load_openings
from tournament.running.schedule import pairings

OPENING_PLIES = 6
LAYERS = {"Conv2D": 15, "BatchNormalization": 14, "ReLU": 14, "Add": 6, "Dense": 3, "Flatten": 1}
FORFEITS = 0.001
SIZES_AND_ROUNDS = ((8, 5), (12, 4), (16, 2), (30, 2))
PAIRS_AT_A_TIME = 8
TESTS = (Sprt(0, 100), Sprt(0, 100, 0.01, 0.1))
# Of pairs with 0, ½, 1, 1½ and 2 points between equals.
GAMES_BETWEEN_EQUALS = {
    "independent": (0.25, 0, 0.5, 0, 0.25),
    "half decided by the opening": (0.125, 0, 0.75, 0, 0.125),
    "half drawn": (0.0625, 0.25, 0.375, 0.25, 0.0625),
}
CHROMIUM = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync")
# The command, and the most memory that it had: RUSAGE_CHILDREN counts what this process has, too.
REPORT = """
import sys
from tournament.__main__ import main
code = main()
lines = open("/proc/self/status").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))
sys.exit(code)
"""
SHOWN_AFTER = """
const [done] = arguments;
requestAnimationFrame(() => setTimeout(() => done(performance.now())));
"""


def make_league(
    folder: Path, num_networks: int, rounds: int, num_games: int | None = None
) -> None:
    """A league in which all games but one are played, or the first ones; goes on after a stop."""
    league = League(folder)
    options = league.options() or EventOptions(opening_plies=OPENING_PLIES, seed=0)
    league.fix_options(options)
    while len(league.submissions.all()) < num_networks:
        file_network(league, len(league.submissions.all()))
    entrants = league.submissions.entrants()
    jobs = pairings(entrants, rounds, options.seed, load_openings(OPENING_PLIES))
    league.schedules.note(jobs, Target(rounds))
    play(league, jobs[: (num_games or len(jobs)) - 1])
    league.close()


def play_last_game(folder: Path) -> None:
    league = League(folder)
    options, schedule = league.options(), league.schedules.last()
    book = load_openings(OPENING_PLIES)
    jobs = pairings(league.submissions.entrants(), schedule.target.rounds, options.seed, book)
    play(league, league.games.missing(jobs)[:1])
    league.close()


def file_network(league: League, number: int) -> None:
    content = f"network {number}".encode()
    path = league.folder / "network.h5"
    path.write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()
    manifest = Manifest(
        sha256=sha256,
        onnx_sha256=sha256,
        parameters_total=99_999 - 101 * number,
        parameters_trainable=98_000 - 101 * number,
        flops=30_000_000 + 100_000 * number,
        keras_version="3.10.0",
        layers=LAYERS,
        batch_size=8,
        ms_per_evaluation=1 + number / 100,
        max_difference=1e-6,
        sandbox="synthetic",
    )
    verdict = SimpleNamespace(accepted=True, faults=(), manifest=manifest, onnx_path=path)
    league.submissions.add(f"Network_{number:03d}", path, verdict)


def play(league: League, jobs: list[GameJob]) -> None:
    """Writes a result for each of the jobs that has none."""
    names = sorted(entrant.name for entrant in league.submissions.entrants())
    strengths = dict(zip(names, np.random.default_rng(0).normal(size=len(names)), strict=True))
    games = {colour: [] for colour in (BLACK, WHITE)}
    for record in GameFile.open(DATA):
        games[record.winner].append(record)
    console = Console(stderr=True)
    for job in track(league.games.missing(jobs), "games", console=console, transient=True):
        rng = np.random.default_rng(job.seed)
        odds = 1 / (1 + np.exp(strengths[job.white] - strengths[job.black]))
        fitting = games[BLACK if rng.random() < odds else WHITE]
        league.games.record(record_of(job, fitting[rng.integers(len(fitting))], rng))


def record_of(job: GameJob, game: Record, rng: np.random.Generator) -> GameRecord:
    """The result of a job: another game's moves; one in a thousand is a forfeit."""
    is_forfeit = rng.random() < FORFEITS
    winner, loser = ("black", job.white) if game.winner == BLACK else ("white", job.black)
    visits = rng.integers(150, 400, game.num_moves).tolist()
    cpu_seconds = rng.normal(1.95, 0.03, game.num_moves).round(4).tolist()
    values = game.values.round(4).tolist()
    moves = zip(game.points.tolist(), visits, cpu_seconds, values, strict=True)
    at = f"2026-11-{14 + int(rng.integers(4))}T{int(rng.integers(24)):02d}:30:00+00:00"
    return GameRecord(
        game_id=job.game_id,
        black=job.black,
        white=job.white,
        black_sha256=job.black_sha256,
        white_sha256=job.white_sha256,
        result=f"{winner[0].upper()}+F" if is_forfeit else game.result,
        winner=winner,
        kind="forfeit" if is_forfeit else "played",
        reason=f"{loser}: expected a finite value: got nan" if is_forfeit else "",
        opening=tuple(game.points[:OPENING_PLIES].tolist()),
        moves=tuple(Choice(*move) for move in moves)[OPENING_PLIES:],
        komi=7.5,
        host="synthetic",
        started_at=at,
        pair_id=job.pair_id,
        seed=job.seed,
        finished_at=at,
        cpu_model="synthetic",
    )


class Cost(NamedTuple):
    """Of a report: wall and processor seconds in words, and the most memory."""

    seconds: str
    megabytes: float


def report_cost(folder: Path) -> Cost:
    """What the command that writes the report takes."""
    command = [sys.executable, "-c", REPORT, "report", "--league", folder, "--quiet"]
    before, start = children_seconds(), time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    wall, processor = time.perf_counter() - start, children_seconds() - before
    kibibytes = int(done.stdout.split()[-1])
    return Cost(f"{wall:.1f} s, {processor:.1f} s of CPU", 1024 * kibibytes / 1e6)


def times(folder: Path) -> Iterator[tuple[str, str, str]]:
    """What building takes: what, how long, and what is asked for."""
    shutil.rmtree(folder / "site", ignore_errors=True)
    first, again = report_cost(folder), report_cost(folder)
    play_last_game(folder)
    last = report_cost(folder)
    yield "the report from nothing", first.seconds, "under 2 minutes"
    yield "again, nothing new", again.seconds, "seconds"
    yield "again, after one game", last.seconds, "seconds"
    peak = max(cost.megabytes for cost in (first, again, last))
    yield "most memory of these", f"{peak:.0f} MB", ""


def planning(folder: Path) -> Iterator[tuple[str, str, str]]:
    """What a run computes: the schedule at its begin, then ratings and the next pair."""
    league = League(folder)
    entrants, options, rows = league.submissions.entrants(), league.options(), league.games.rows()
    names = {name for row in rows for name in (row.black, row.white)}
    started = time.process_time()
    jobs = pairings(entrants, 1, options.seed, load_openings(OPENING_PLIES))
    yield f"the schedule of {len(jobs)} games", cpu_since(started), ""
    started = time.process_time()
    ratings = rate(names, rows)
    yield "the ratings", cpu_since(started), ""
    started = time.process_time()
    most_informative(ratings, names, [])
    yield "the most informative pair", cpu_since(started), ""
    started = time.process_time()
    ratings.rank_intervals()
    yield "the intervals of the ranks", cpu_since(started), ""
    yield "the journal", megabytes([folder / "league.sqlite"]), ""
    league.close()


def cpu_since(started: float) -> str:
    return f"{time.process_time() - started:.2f} s of CPU"


def sizes(site: Path) -> Iterator[tuple[str, str, str]]:
    """How large the files are: what, size, and what is asked for."""
    yield "front page", megabytes([site / "index.html"]), "under 1 MB"
    yield "crosstable", megabytes([site / "crosstable.html"]), ""
    networks, meetings = list(site.glob("networks/*")), list(site.glob("games/*/*"))
    yield f"{len(networks)} networks' pages", megabytes(networks), ""
    yield f"{len(meetings)} files of games", megabytes(meetings), ""
    yield "games.zip", megabytes([site / "games.zip"]), ""


def megabytes(paths: list[Path]) -> str:
    return f"{sum(path.stat().st_size for path in paths if path.exists()) / 1e6:.2f} MB"


def opening(site: Path) -> Iterator[tuple[str, str, str]]:
    """How long pages take until they are shown: what, the slowest of three, what is asked for."""
    chromedriver = shutil.which("chromedriver")
    try:
        from selenium import webdriver
    except ImportError:
        chromedriver = None
    if chromedriver is None:
        yield "opening pages", "no chromedriver, or no selenium", ""
        return
    options = webdriver.ChromeOptions()
    for argument in CHROMIUM:
        options.add_argument(argument)
    with webdriver.Chrome(options, webdriver.ChromeService(chromedriver)) as driver:
        meeting = min(site.glob("games/*/*.js")).stem
        network = min(site.glob("networks/*")).relative_to(site)
        pages = {"the front page": "index.html", "the crosstable": "crosstable.html"}
        pages |= {"a network": str(network), "a game": f"game.html#{meeting}"}
        if not (site / "crosstable.html").exists():
            del pages["the crosstable"]
        for title, page in pages.items():
            slowest = max(shown_after(driver, f"{site.as_uri()}/{page}") for _ in range(3))
            yield f"to open {title}", f"{slowest:.2f} s", "under 2 s" if "front" in title else ""


def shown_after(driver, address: str) -> float:
    """Seconds from the call for a page to the frame after it was loaded."""
    driver.get("about:blank")
    driver.get(address)
    return driver.execute_async_script(SHOWN_AFTER) / 1e3


def simulate(seed: int, size: int, rounds: int, *, informative: bool) -> tuple[float, ...]:
    """One league of `rounds` rounds' games.

    Returns:
        whether the best comes first, mean error of a rank, root mean square error in Elo, the
        share of true ratings inside of their 95 % intervals.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.normal(0, 200, size)
    strengths = dict(zip((f"n{i:02d}" for i in range(size)), drawn - drawn.mean(), strict=True))
    everybody = list(itertools.combinations(strengths, 2))
    num_pairs = rounds * len(everybody)
    games = simulated_games(rng, strengths, everybody * (1 if informative else rounds), 0)
    while len(games) < 2 * num_pairs:
        ratings, chosen = rate(strengths, games), []
        for _ in range(min(PAIRS_AT_A_TIME, num_pairs - len(games) // 2)):
            chosen.append(most_informative(ratings, strengths.keys(), chosen))
        games += simulated_games(rng, strengths, chosen, len(games))
    ratings = rate(strengths, games)
    true = np.array([strengths[name] for name in ratings.names])
    true_ranks = np.argsort(np.argsort(-true))
    return (
        float(true_ranks[0] == 0),
        float(np.abs(true_ranks - np.arange(size)).mean()),
        float(np.sqrt(((ratings.elo - true) ** 2).mean())),
        float((np.abs(ratings.elo - true) <= ratings.elo_halfwidth).mean()),
    )


def simulated_games(
    rng: np.random.Generator,
    strengths: dict[str, float],
    pairs: Iterable[tuple[str, str]],
    first_id: int,
) -> list[SimpleNamespace]:
    """The games of game pairs, both colours each."""
    games = []
    for number, (one, other) in enumerate(pairs):
        for black, white in ((one, other), (other, one)):
            odds = 1 / (1 + 10 ** ((strengths[white] - strengths[black] - 30) / 400))
            winner = "black" if rng.random() < odds else "white"
            names = dict(black=black, white=white, pair_id=f"pair {first_id + number}")
            games.append(SimpleNamespace(**names, winner=winner, kind="played"))
    return games


def schedule_rows(num_leagues: int) -> Iterator[list[str]]:
    """A row for each size and way."""
    for size, rounds in SIZES_AND_ROUNDS:
        for informative in (False, True):
            rows = [simulate(k, size, rounds, informative=informative) for k in range(num_leagues)]
            first, error, rmse, covered = np.mean(rows, axis=0)
            kind = "1 round, then informative" if informative else f"{rounds} rounds"
            num_pairs = rounds * size * (size - 1) // 2
            figures = f"{first:.2f}", f"{error:.2f}", f"{rmse:.0f}", f"{covered:.3f}"
            yield [kind, str(size), str(num_pairs), *figures]


def pairs_until_decided(
    rng: np.random.Generator, sprt: Sprt, truth: np.ndarray, num_matches: int
) -> tuple[float, float]:
    """Share of simulated matches that accept H1, and their mean number of pairs."""
    low, high = sprt.bounds
    counts = np.zeros((num_matches, 5), np.int64)
    num_pairs = num_accepted = 0
    while len(counts):
        num_pairs += len(counts)
        counts += rng.multinomial(1, truth, len(counts))
        ratios = sprt.llr(counts)
        num_accepted += int((ratios >= high).sum())
        counts = counts[(low < ratios) & (ratios < high)]
    return num_accepted / num_matches, num_pairs / num_matches


def sprt_rows(num_matches: int) -> Iterator[list[str]]:
    """A row for each test and kind of games."""
    rng = np.random.default_rng(0)
    for sprt in TESTS:
        for kind, shares in GAMES_BETWEEN_EQUALS.items():
            truths = [
                likeliest(np.array(shares), elo / ELO_PER_DEVIATION)
                for elo in (sprt.elo0, sprt.elo1)
            ]
            (wrong, pairs0), (right, pairs1) = (
                pairs_until_decided(rng, sprt, truth, num_matches) for truth in truths
            )
            chances = f"{sprt.alpha:g}, {sprt.beta:g}"
            errors = f"{100 * wrong:.2f} %, {100 * (1 - right):.2f} %"
            bounds = f"{sprt.elo0:g}, {sprt.elo1:g}"
            yield [kind, bounds, chances, errors, f"{pairs0:.0f}, {pairs1:.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--games", type=int, help="of the schedule, the first ones (default: all)")
    parser.add_argument("--league", type=Path, help="a folder for the league, which is kept")
    parser.add_argument("--schedules", type=int, metavar="LEAGUES", help="simulated for each row")
    parser.add_argument("--sprt", type=int, metavar="MATCHES", help="simulated for each row")
    options = parser.parse_args()
    if options.schedules:
        columns = "schedule | networks | game pairs | best first | rank error | Elo RMSE | coverage"
        show(f"{options.schedules} leagues a row", columns, schedule_rows(options.schedules))
        return
    if options.sprt:
        columns = "games | H0, H1 | alpha, beta | errors under H0, H1 | pairs under H0, H1"
        show(f"{options.sprt} matches for each error", columns, sprt_rows(options.sprt))
        return
    with tempfile.TemporaryDirectory() as directory:
        folder = (options.league or Path(directory) / "league").resolve()
        make_league(folder, options.networks, options.rounds, options.games)
        num_games = options.games or options.networks * (options.networks - 1) * options.rounds
        site = folder / "site"
        rows = itertools.chain(planning(folder), times(folder), sizes(site), opening(site))
        title = f"{options.networks} networks, {num_games} games"
        show(title, "what | measured | asked for", rows)


if __name__ == "__main__":
    main()

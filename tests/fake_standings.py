"""What tests of the reports share: a small league of games that were never played."""

import random
from collections.abc import Iterable

from golois.constants import PASS
from golois.go.board import Board
from tournament.game.record import GameRecord
from tournament.game.sgf import to_sgf
from tournament.league.games import row_of
from tournament.players.protocol import Choice
from tournament.report.snapshot import Network, Snapshot

RULES = (("A move", "2 s of CPU time"), ("Komi", "7.5"), ("Kit", "1.2.3"))


def random_points(num_plies: int, seed: int) -> list[int]:
    """A legal game of random moves, a pass here and there; captures abound."""
    board, rng = Board(), random.Random(seed)
    points = []
    for _ in range(num_plies):
        legal = [point for point, is_legal in enumerate(board.legal_moves()) if is_legal]
        points.append(rng.choice(legal) if rng.random() < 0.98 else PASS)
        board.play(points[-1])
    return points


def game(
    number: int,
    black: str,
    white: str,
    winner: str | None,
    *,
    kind: str = "played",
    reason: str = "",
    result: str | None = None,
) -> GameRecord:
    """Game number `number`; two games with numbers 2k and 2k + 1 are a pair."""
    margins = {"played": "3.5", "forfeit": "F"}
    usual = f"{winner[0].upper()}+{margins[kind]}" if winner else "Void"
    points = random_points(12, number)
    return GameRecord(
        game_id=f"g{number:03d}",
        black=black,
        white=white,
        black_sha256="",
        white_sha256="",
        result=result or usual,
        winner=winner,
        kind=kind,
        reason=reason,
        opening=tuple(points[:3]),
        moves=tuple(
            Choice(point, 100 + 10 * (i % 2), 1.5 + 0.25 * (i % 2), 0.25)
            for i, point in enumerate(points[3:])
        ),
        komi=7.5,
        host="lab-1",
        started_at=f"2026-03-14T20:{number:02d}:00+00:00",
        pair_id=f"pair{number // 2}",
        finished_at="2026-03-15T01:00:00+00:00",
    )


def snapshot_of_games(
    names: Iterable[str],
    records: Iterable[GameRecord],
    num_scheduled: int = 0,
    title: str = "Week 6",
) -> Snapshot:
    """A snapshot of networks with these names and of these games."""
    by_id = {record.game_id: record for record in records}
    return Snapshot(
        title=title,
        networks=tuple(
            Network(
                name,
                sha256=f"{i:064x}",
                parameters_total=90_000 + i,
                parameters_trainable=89_000 + i,
                flops=2_500_000,
                ms_per_evaluation=1.25,
                keras_version="3.10.0",
                layers=(("Conv2D", 7), ("Dense", 2)),
            )
            for i, name in enumerate(names)
        ),
        games=tuple(row_of(record) for record in by_id.values()),
        num_scheduled=max(num_scheduled, len(by_id)),
        num_voids=0,
        placings=(),
        rules=RULES,
        created_at="2026-03-15T07:00:00+00:00",
        sgf=lambda game_id: to_sgf(by_id[game_id]),
    )


def small_league(num_scheduled: int = 0) -> Snapshot:
    """The league of `small_records`."""
    return snapshot_of_games(["cyd", "bob", "ada"], small_records(), num_scheduled)


def small_records() -> list[GameRecord]:
    """Ada beats Bob 3–1 and Cyd 4–0, one of them by forfeit; Bob beats Cyd 3–1."""
    winners = {("ada", "bob"): "aaba", ("ada", "cyd"): "aaaa", ("bob", "cyd"): "bbcb"}
    records = []
    for (one, other), initials in winners.items():
        for i, initial in enumerate(initials):
            black, white = (one, other) if i % 2 == 0 else (other, one)
            winner = "black" if black[0] == initial else "white"
            forfeit = (one, other, i) == ("ada", "cyd", 3)
            records.append(
                game(
                    len(records),
                    black,
                    white,
                    winner,
                    kind="forfeit" if forfeit else "played",
                    reason="cyd: expected a finite value: got nan" if forfeit else "",
                )
            )
    return records

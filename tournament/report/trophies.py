"""Trophies: who stands out besides the rank, by the games and by the answers of networks.

Anchors win none. Of equal figures that of the better rank wins, of equal games the oldest.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping

from tournament.game.record import PLAYED
from tournament.league.games import GameRow
from tournament.league.likeness import mean_distances
from tournament.report.formats import signed, thousands
from tournament.report.history import current_week, weeks_of
from tournament.report.standings import Standing, Standings, Trophy, percent
from tournament.report.turns import Errors, loser_of

# With fewer games a network wins no trophy.
LEAST_GAMES = 5


def trophies_of(
    standings: Standings, errors: Mapping[str, tuple[Errors, Errors]]
) -> tuple[Trophy, ...]:
    """Return the trophies that the league supports; `errors` are of its values, by game."""
    often = [row for row in standings.played if row.score.num_games >= LEAST_GAMES]
    rows = [row for row in often if row.network.anchor_elo is None]
    found = (
        _value_head(standings, rows, errors),
        _as_black(standings, rows),
        _giant_killer(standings, rows, {row.name for row in often}),
        _improved(standings, rows),
        _original(rows),
    )
    return tuple(trophy for trophy in found if trophy is not None)


def _value_head(
    standings: Standings, rows: list[Standing], errors: Mapping[str, tuple[Errors, Errors]]
) -> Trophy | None:
    """Return who has the lowest mean squared error of its values against the results."""
    listed: dict[str, list[Errors]] = defaultdict(list)
    for game in standings.snapshot.games:
        for name, own in zip((game.black, game.white), errors.get(game.game_id, ()), strict=False):
            listed[name] += [own] if own[0] else []
    judging = [row for row in rows if len(listed[row.name]) >= LEAST_GAMES]
    if len(judging) < 2:
        return None
    sums = [[sum(part) for part in zip(*listed[row.name], strict=True)] for row in judging]
    error, place = min((squared / num, place) for place, (num, squared) in enumerate(sums))
    why = f"mean squared error {error:.3f} on {thousands(sums[place][0])} moves"
    return Trophy("Best value head", judging[place], error, why)


def _as_black(standings: Standings, rows: list[Standing]) -> Trophy | None:
    """Return who scored most as Black beyond what the ratings expect."""
    chance, expected = _chance_of_black(standings), defaultdict[str, float](float)
    for game in standings.snapshot.games:
        if game.winner:
            expected[game.black] += chance(game)
    black = [row for row in rows if row.as_black.num_games >= LEAST_GAMES]
    shares = {row.name: expected[row.name] / row.as_black.num_games for row in black}
    gains = {row.name: row.as_black.winrate - shares[row.name] for row in black}
    if len(black) < 2 or max(gains.values()) <= 0:
        return None
    best = max(black, key=lambda row: gains[row.name])
    num_games, share = best.as_black.num_games, percent(best.as_black.winrate)
    why = f"won {share} of {num_games} games as Black, {percent(shares[best.name])} expected"
    return Trophy("Best as Black", best, gains[best.name], why)


def _giant_killer(standings: Standings, rows: list[Standing], often: set[str]) -> Trophy | None:
    """Return who won the least expected game between networks that played often."""
    chance, winners = _chance_of_black(standings), {row.name: row for row in rows}
    won = [
        (1 - chance(game) if game.winner == "white" else chance(game), game)
        for game in standings.snapshot.games
        if game.kind == PLAYED and game.winner_name in winners and {game.black, game.white} <= often
    ]
    least, game = min(won, key=lambda one: one[0], default=(1.0, None))
    if game is None or least >= 0.5:
        return None
    winner, loser = game.winner_name or "", loser_of(game)[0]
    why = f"beat {standings.snapshot.written(loser)} with a chance of {100 * least:.2g} %"
    return Trophy("Giant-killer", winners[winner], least, why, game)


def _improved(standings: Standings, rows: list[Standing]) -> Trophy | None:
    """Return whose new network gained most Elo over the network of the week before."""
    now = current_week(standings.snapshot)
    before = next((one.week for one in standings.snapshot.placings[::-1] if one.week != now), None)
    weeks, gains = weeks_of(standings), {}
    for row in rows:
        kept = {one.week: one for one in weeks.get(row.name, ()) if one.num_games >= LEAST_GAMES}
        new, old = (kept.get(week or "") for week in (now, before))
        if new is not None and old is not None and new.sha256 != old.sha256:
            gains[row.name] = new.elo - old.elo
    if max(gains.values(), default=0.0) <= 0:
        return None
    best = max((row for row in rows if row.name in gains), key=lambda row: gains[row.name])
    why = f"{signed(gains[best.name])} Elo over the network of {before}"
    return Trophy("Most improved", best, gains[best.name], why)


def _original(rows: list[Standing]) -> Trophy | None:
    """Return whose answers to the intake's positions are farthest from those of the others."""
    most = max((len(row.network.answers) for row in rows), default=0)
    asked = [row for row in rows if most and len(row.network.answers) == most]
    if len(asked) < 3:  # two are equally far from each other
        return None
    distances = mean_distances([row.network.answers for row in asked])
    far = max(distances)
    why = f"answers at a mean distance of {far:.2f} from others"
    return Trophy("Most original", asked[distances.index(far)], far, why)


def _chance_of_black(standings: Standings) -> Callable[[GameRow], float]:
    """Return what gives P(Black wins) of a game by the ratings."""
    elo = {row.name: row.elo for row in standings.played}
    colour = standings.ratings.elo_black
    return lambda game: 1 / (1 + 10 ** ((elo[game.white] - elo[game.black] - colour) / 400))

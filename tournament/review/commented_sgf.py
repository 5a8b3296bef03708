"""A reviewed game as SGF: a comment on every move, and variations with better moves."""

from collections.abc import Sequence

from golois.go.board import NAMES
from golois.go.coords import COLOUR_LETTERS, opponent, point_to_gtp
from golois.sgf.reading import SgfGame
from golois.sgf.writing import Node, game_root, tree_text
from tournament.review.game_review import Candidate, MoveReview, largest_losses, value_for
from tournament.review.second_opinion import SecondOpinion, largest_differences

# SGF's own marks: a bad move, and a very bad one from twice the threshold on.
BAD, VERY_BAD = 1, 2


def commented_sgf(
    game: SgfGame,
    komi: float,
    moves: Sequence[MoveReview],
    threshold: float,
    reviewer: str,
    opinions: Sequence[SecondOpinion] = (),
) -> str:
    """Return the game with a comment on each move; mistakes are marked, with better moves.

    A mistake loses `threshold` of P(win). A comment also has the move's second opinion, if there
    are `opinions`. Names, date, rules and result stay; the file's own
    comments and variations do not. Sabaki draws SBKV, Black's chances in per cent.
    """
    root = game_root(
        game,
        komi,
        SBKV=_per_cent(1 - moves[0].before.value_white),
        C=_summary(moves, threshold, reviewer, opinions),
    )
    last = root
    for index, move in enumerate(moves):
        node = _move_node(move, threshold, opinions[index : index + 1])
        last.children.append(node)
        if move.is_mistake(threshold):
            last.children += [
                _variation(candidate, move.colour)
                for candidate in move.before.candidates
                if candidate.point != move.point
            ]
        last = node
    return tree_text(root)


def _summary(
    moves: Sequence[MoveReview],
    threshold: float,
    reviewer: str,
    opinions: Sequence[SecondOpinion],
) -> str:
    lines = [f"Reviewed by {reviewer}.", f"Mistakes lose {_share(threshold)} or more."]
    for colour, name in NAMES.items():
        own = [move for move in moves if move.colour == colour and move.is_mistake(threshold)]
        lines.append(f"{name}: {', '.join(str(move.number) for move in own) or 'none'}.")
    if not any(move.is_mistake(threshold) for move in moves):
        slipped = without_mistakes(moves, threshold)
        lines.append(f"{slipped[0].upper()}{slipped[1:]}.")
    if opinions:
        lines += ["They differ most:", *map(str, largest_differences(opinions))]
    return "\n".join(lines)


def without_mistakes(moves: Sequence[MoveReview], threshold: float) -> str:
    """Return where a game without mistakes, losses of `threshold` in P(win), slipped."""
    largest = largest_losses(moves)
    if not largest:
        return "no mistakes"
    losses = (
        f"move {move.number}, {NAMES[move.colour]} {point_to_gtp(move.point)}, {_share(move.loss)}"
        for move in largest
    )
    lost = f"no single move lost {_share(threshold)}"
    where = "" if largest[0].loss < threshold else " where the search preferred another"
    return f"{lost}{where}; the largest losses: {'; '.join(losses)}"


def _move_node(move: MoveReview, threshold: float, opinions: Sequence[SecondOpinion]) -> Node:
    properties = {
        COLOUR_LETTERS[move.colour]: move.point,
        "SBKV": _per_cent(1 - move.after.value_white),
        "C": "\n".join([move_comment(move, threshold), *map(str, opinions)]),
    }
    if move.is_mistake(threshold):
        properties["BM"] = VERY_BAD if move.loss >= 2 * threshold else BAD
    return Node(properties)


def move_comment(move: MoveReview, threshold: float) -> str:
    """Return what a move did to its player's chances, and what the search looked at instead."""
    before, after = (
        _share(value_for(move.colour, position.value_white))
        for position in (move.before, move.after)
    )
    verdict = "a mistake" if move.is_mistake(threshold) else "no mistake"
    played = point_to_gtp(move.point)
    text = f"{NAMES[move.colour]}'s chances: {before} before {played}, {after} after it: {verdict}."
    searched = "; ".join(
        f"{point_to_gtp(candidate.point)} {_facts(candidate, move.colour)}"
        for candidate in move.before.candidates
    )
    return f"{text}\nSearched: {searched}" if searched else text


def _variation(candidate: Candidate, colour: int) -> Node:
    """Return a candidate with its facts, and the line that the search expects after it."""
    first = last = Node({COLOUR_LETTERS[colour]: candidate.point, "C": _facts(candidate, colour)})
    for point in candidate.line[1:]:
        colour = opponent(colour)
        last = last.add({COLOUR_LETTERS[colour]: point})
    return first


def _facts(candidate: Candidate, colour: int) -> str:
    value = _share(value_for(colour, candidate.value_white))
    return f"{value} ({candidate.num_visits} visits, policy {_share(candidate.prior)})"


def _share(value: float) -> str:
    return f"{100 * value:.0f} %"


def _per_cent(value: float) -> float:
    return round(100 * value, 2)

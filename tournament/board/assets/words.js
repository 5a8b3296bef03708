"use strict";

// A game without moves, and how the page words moves and scores.

function emptyGame(komi) {
  return { komi, set_up: [], moves: [], black: "", white: "", date: "", result: "", rules: "Chinese" };
}

function colourText(colour) {
  return colour === BLACK ? "Black" : "White";
}

// The last move, undefined before the first one.
function moveText(move) {
  return move ? `${colourText(move[0])} ${pointName(19, move[1])}` : "The first position";
}

// Who played a game that was loaded, and its result.
function gameText({ black, white, result }) {
  const names = black || white ? [`${black || "Unknown"} (Black) against ${white || "unknown"} (White)`] : [];
  return [...names, ...(result ? [`result ${result}`] : [])].join(", ");
}

// The area says little as long as most points are nobody's, or all are those of a lonely stone.
function isTooEarly({ area, stones }) {
  const numOwned = area.filter((owner) => owner !== EMPTY).length;
  return 2 * numOwned < area.length || ![BLACK, WHITE].every((colour) => stones.includes(colour));
}

function scoreText(position) {
  const { lead_black: lead, is_over: isOver } = position;
  if (!isOver && isTooEarly(position)) return "It is too early to count the score.";
  const points = `${Math.abs(lead)} ${Math.abs(lead) === 1 ? "point" : "points"}`;
  const leader = colourText(lead > 0 ? BLACK : WHITE);
  const score = lead === 0 ? "Both have the same" : `${leader} ${isOver ? "wins" : "leads"} by ${points}`;
  return isOver ? `${score}.` : `${score} if the game ended here.`;
}

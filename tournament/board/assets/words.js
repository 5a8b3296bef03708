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

function scoreText({ lead_black: lead, is_over: isOver }) {
  const points = `${Math.abs(lead)} ${Math.abs(lead) === 1 ? "point" : "points"}`;
  const leader = colourText(lead > 0 ? BLACK : WHITE);
  const score = lead === 0 ? "Both have the same" : `${leader} ${isOver ? "wins" : "leads"} by ${points}`;
  return isOver ? `${score}.` : `${score} if the game ended here.`;
}

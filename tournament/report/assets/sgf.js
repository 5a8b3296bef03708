"use strict";

// Reads the SGF that this site's games are written in (tournament/game/sgf.py): one line of play,
// one value a property, and in a chosen move's comment what it cost and how it judged the game.

const PROPERTY = /([A-Z]+)\[((?:[^\]\\]|\\[^])*)\]/g;
const COMMENT = /^visits (\d+), cpu ([\d.]+) s, P\(White wins\) ([\d.]+)/;

// Lists with an element a ply; null where the opening was played. Values are Black's chances.
function readSgf(text) {
  const game = { size: 19, points: [], visits: [], cpuSeconds: [], valueBlack: [] };
  for (const [, name, value] of text.matchAll(PROPERTY)) {
    if (name === "SZ") game.size = Number(value);
    if (name === "B" || name === "W") {
      game.points.push(pointOfSgf(game.size, value));
      for (const list of [game.visits, game.cpuSeconds, game.valueBlack]) list.push(null);
    }
    const chosen = name === "C" && COMMENT.exec(value);
    if (chosen) {
      const ply = game.points.length - 1;
      game.visits[ply] = Number(chosen[1]);
      game.cpuSeconds[ply] = Number(chosen[2]);
      game.valueBlack[ply] = 1 - Number(chosen[3]);
    }
  }
  return game;
}

function pointOfSgf(size, text) {
  if (text === "") return size * size;
  const [column, row] = [...text].map((letter) => letter.charCodeAt(0) - "a".charCodeAt(0));
  return row * size + column;
}

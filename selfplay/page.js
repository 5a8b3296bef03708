"use strict";

// The games of a run, replayed; replay.js, board.js, hex.js and nogo.js come before this.

const { size, isHex, isNoGo, groups } = JSON.parse(document.getElementById("shown").textContent);
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const view = new (isHex ? HexView : isNoGo ? NoGoView : BoardView)(part("board"), size);
let games = [], positions = [];

function moveName(moves, ply) {
  const isSwap = isHex && ply === 2 && moves[1] === moves[0];
  return isSwap ? "swap" : pointName(size, moves[ply - 1]);
}

function show(ply) {
  const { title, moves } = games[part("list").value];
  view.show(positions[ply]);
  if (isNoGo) view.showMarks(part("display").value, positions, ply);
  const played = ply === 0 ? "the empty board" : `move ${ply} of ${moves.length}, ${moveName(moves, ply)}`;
  part("count").textContent = `${title}: ${played}`;
}

function open() {
  const { moves } = games[part("list").value];
  positions = (isHex ? hexPositionsOf : positionsOf)(size, moves);
  part("slider").max = moves.length;
  part("slider").value = moves.length;
  show(moves.length);
}

function openGroup() {
  games = groups[part("group").value].games;
  part("list").replaceChildren(...games.map(({ title }, i) => new Option(`${i + 1}: ${title}`, i)));
  open();
}

part("group").append(...groups.map(({ title }, i) => new Option(title, i)));
part("group").addEventListener("change", openGroup);
part("list").addEventListener("change", open);
part("slider").addEventListener("input", () => show(Number(part("slider").value)));
if (isNoGo) part("display").addEventListener("change", () => show(Number(part("slider").value)));
openGroup();

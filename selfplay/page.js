"use strict";

// The games of a run, replayed; replay.js and board.js come before this.

const { size, isHex, groups } = JSON.parse(document.getElementById("shown").textContent);
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const view = new BoardView(part("board"), size);
let games = [], positions = [];

// In Hex nothing is captured; a second move onto the first stone swaps it to its mirror image.
function hexPositions(points) {
  let position = { stones: new Uint8Array(size * size), point: null, colour: EMPTY };
  const found = [position];
  points.forEach((point, i) => {
    const stones = position.stones.slice(), colour = moverOf(i + 1);
    const isSwap = stones[point] !== EMPTY;
    const to = isSwap ? (point % size) * size + Math.floor(point / size) : point;
    if (isSwap) stones[point] = EMPTY;
    stones[to] = colour;
    position = { stones, point: to, colour };
    found.push(position);
  });
  return found;
}

function show(ply) {
  const { title, moves } = games[part("list").value];
  view.show(positions[ply]);
  const played = ply === 0 ? "the empty board" : `move ${ply} of ${moves.length}, ${pointName(size, moves[ply - 1])}`;
  part("count").textContent = `${title}: ${played}`;
}

function open() {
  const { moves } = games[part("list").value];
  positions = isHex ? hexPositions(moves) : positionsOf(size, moves);
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
openGroup();

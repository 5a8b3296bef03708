"use strict";

// The positions of a game. Moves are known to be legal: nothing here checks ko, superko or suicide.
const EMPTY = 0, BLACK = 1, WHITE = 2;

function neighboursOf(size, point) {
  const column = point % size;
  const neighbours = [];
  if (point >= size) neighbours.push(point - size);
  if (column > 0) neighbours.push(point - 1);
  if (column < size - 1) neighbours.push(point + 1);
  if (point < size * (size - 1)) neighbours.push(point + size);
  return neighbours;
}

// The points of the chain at `start` if it has no liberty, else an empty list.
function deadChain(stones, size, start) {
  const chain = [start];
  const seen = new Set(chain);
  for (let i = 0; i < chain.length; i++) {
    for (const next of neighboursOf(size, chain[i])) {
      if (stones[next] === EMPTY) return [];
      if (stones[next] === stones[start] && !seen.has(next)) {
        seen.add(next);
        chain.push(next);
      }
    }
  }
  return chain;
}

// Who plays a ply; the first is ply 1, and Black's.
function moverOf(ply) {
  return ply % 2 === 1 ? BLACK : WHITE;
}

// Every position from the empty board on; position k is the one after k plies.
// `captured[colour]` counts the stones that this colour has taken; a pass is the point size · size.
function positionsOf(size, points) {
  let position = { stones: new Uint8Array(size * size), captured: [0, 0, 0], point: null, colour: EMPTY };
  const positions = [position];
  points.forEach((point, i) => {
    const colour = moverOf(i + 1);
    const stones = position.stones.slice();
    const captured = position.captured.slice();
    if (point < size * size) {
      stones[point] = colour;
      for (const next of neighboursOf(size, point)) {
        if (stones[next] !== BLACK + WHITE - colour) continue;
        for (const dead of deadChain(stones, size, next)) {
          stones[dead] = EMPTY;
          captured[colour]++;
        }
      }
    }
    position = { stones, captured, point, colour };
    positions.push(position);
  });
  return positions;
}

function pointName(size, point) {
  if (point === size * size) return "pass";
  return "ABCDEFGHJKLMNOPQRST"[point % size] + (size - Math.floor(point / size));
}

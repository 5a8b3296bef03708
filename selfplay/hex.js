"use strict";

// Hex, as docs/student/selfplay.md has it: each row lies half a point further right than the one above it.

const ROW_HEIGHT = Math.sqrt(3) / 2;
const MARGIN = 0.6;  // around the names of rows and columns
// The corners of a hexagon of width 1, clockwise from the top.
const CORNERS = [0, 1, 2, 3, 4, 5].map((i) => {
  const angle = (i * Math.PI) / 3;
  return [Math.sin(angle) / Math.sqrt(3), -Math.cos(angle) / Math.sqrt(3)];
});
const [TOP, UPPER_RIGHT, LOWER_RIGHT, , , UPPER_LEFT] = CORNERS.keys();

class HexView extends BoardView {
  // Of a point, and of places beside the board, where the names of rows and columns are.
  at(row, column) {
    return [column + row / 2, row * ROW_HEIGHT];
  }

  centre(point) {
    return this.at(Math.floor(point / this.size), point % this.size);
  }

  corner(row, column, i) {
    const [x, y] = this.at(row, column);
    return [x + CORNERS[i][0], y + CORNERS[i][1]];
  }

  drawBoard(svg) {
    const size = this.size;
    const width = 1.5 * size + 0.5 + 2 * MARGIN, height = (size + 1) * ROW_HEIGHT + 2 * MARGIN;
    this.drawWood(svg, -1 - MARGIN, -ROW_HEIGHT - MARGIN, width, height);
    for (let row = 0; row < size; row++) for (let column = 0; column < size; column++) {
      draw(svg, "polygon", { class: "hexagon", points: CORNERS.map((_, i) => this.corner(row, column, i)).join(" ") });
    }
    this.drawSides(svg);
    for (let i = 0; i < size; i++) {
      for (const end of [-1, size]) {
        this.drawName(svg, this.at(end, i), pointName(size, i)[0]);
        this.drawName(svg, this.at(i, end), size - i);
      }
    }
  }

  // White's upper side and Black's right one; the others are these after half a turn.
  drawSides(svg) {
    const rows = [...Array(this.size).keys()], last = this.size - 1;
    const [from, to] = [TOP, UPPER_RIGHT].map((i) => this.corner(0, last, i));
    const shared = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    const upper = [...rows.flatMap((i) => [UPPER_LEFT, TOP].map((place) => this.corner(0, i, place))), shared];
    const right = [shared, ...rows.flatMap((i) => [UPPER_RIGHT, LOWER_RIGHT].map((place) => this.corner(i, last, place)))];
    const [width, height] = this.at(last, last);
    for (const [colour, side] of [["white", upper], ["black", right]]) {
      const opposite = side.map(([x, y]) => [width - x, height - y]);
      for (const points of [side, opposite]) draw(svg, "polyline", { class: `side ${colour}`, points: points.join(" ") });
    }
  }

  drawName(svg, [x, y], name) {
    draw(svg, "text", { x, y }, name);
  }
}

// Nothing is captured; a second move onto the first stone swaps it to its mirror image.
function hexPositionsOf(size, points) {
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

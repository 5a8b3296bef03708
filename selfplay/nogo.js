"use strict";

// Displays of strategy for NoGo, as selfplay/nogo_display.py defines them.

const NOBODY = "nobody";

function hasLiberty(stones, size, start) {
  return deadChain(stones, size, start).length === 0;
}

// Whether a colour may take an empty point, whoever is to move.
function mayPlay(stones, size, point, colour) {
  const after = stones.slice();
  after[point] = colour;
  const touched = neighboursOf(size, point).filter((near) => after[near] === BLACK + WHITE - colour);
  return [point, ...touched].every((stone) => hasLiberty(after, size, stone));
}

// The empty points that not both colours may play on: who may, and whether it is a layout's centre.
function marksOf(stones, size) {
  const marks = new Map();
  stones.forEach((stone, point) => {
    if (stone !== EMPTY) return;
    const [one, other] = [BLACK, WHITE].filter((colour) => mayPlay(stones, size, point, colour));
    if (other) return;
    const isLayout = neighboursOf(size, point).every((near) => stones[near] === one);
    marks.set(point, { owner: one ? COLOUR_NAMES[one] : NOBODY, isLayout });
  });
  return marks;
}

// By the centre of each layout of a position, the later ply that spoils it.
function spoiledAfter(positions, size, ply) {
  const open = [...marksOf(positions[ply].stones, size)].filter(([, { isLayout }]) => isLayout).map(([point]) => point);
  const found = new Map();
  for (let later = ply + 1; later < positions.length; later++) {
    const marks = marksOf(positions[later].stones, size);
    for (const point of open) {
      if (!found.has(point) && marks.get(point)?.owner === NOBODY) found.set(point, later);
    }
  }
  return found;
}

class NoGoView extends BoardView {
  constructor(svg, size) {
    super(svg, size);
    this.marks = draw(svg, "g", {});
  }

  // `display` is one of the page's choices: none, triangles or prediction.
  showMarks(display, positions, ply) {
    this.marks.replaceChildren();
    if (display === "none") return;
    for (const [point, { owner, isLayout }] of marksOf(positions[ply].stones, this.size)) this.drawMark(point, owner, isLayout);
    if (display !== "prediction") return;
    for (const [point, later] of spoiledAfter(positions, this.size, ply)) {
      const [x, y] = this.centre(point);
      draw(this.marks, "text", { class: "spoiled", x: x + 0.3, y: y - 0.3 }, later);
    }
  }

  drawMark(point, owner, isLayout) {
    const [x, y] = this.centre(point), r = 0.3, half = r * Math.sqrt(3) / 2;
    const name = `mark ${owner}`;
    if (owner === NOBODY) draw(this.marks, "path", { class: name, d: `M${x - 0.2} ${y - 0.2}l.4 .4m0 -.4l-.4 .4` });
    else if (isLayout) draw(this.marks, "polygon", { class: name, points: `${x},${y - r} ${x + half},${y + r / 2} ${x - half},${y + r / 2}` });
    else draw(this.marks, "circle", { class: name, cx: x, cy: y, r: 0.12 });
  }
}

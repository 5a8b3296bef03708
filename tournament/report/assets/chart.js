"use strict";

const CHART = { width: 400, height: 120, left: 42, right: 8, top: 8, bottom: 12 };

const ROUND = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10];

// A round number of that size or more: 3674 → 4000, 0.031 → 0.04; 1 for 0.
function roundUp(number) {
  if (!(number > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(number));
  return Number((unit * ROUND.find((step) => number <= step * unit)).toPrecision(3));
}

// Curves over the plies of a game; a press or a drag calls `seek` with a ply.
class Chart {
  constructor(svg, format, seek) {
    this.svg = svg;
    this.format = format;
    const follow = (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * CHART.width;
      seek(Math.round(((x - CHART.left) / (CHART.width - CHART.left - CHART.right)) * this.length));
    };
    svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); follow(event); });
    svg.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
  }

  // Each curve has a class and its values by ply, null where there is none, from 0 to `top`.
  draw(curves, length, top) {
    this.length = length;
    this.top = top;
    this.svg.replaceChildren();
    this.svg.setAttribute("viewBox", `0 0 ${CHART.width} ${CHART.height}`);
    for (const value of [0, top / 2, top]) {
      const y = this.y(value);
      draw(this.svg, "line", { class: "grid", x1: CHART.left, x2: CHART.width - CHART.right, y1: y, y2: y });
      draw(this.svg, "text", { x: CHART.left - 6, y }, this.format(value));
    }
    for (const { name, values } of curves) {
      const corners = values
        .map((value, ply) => [value, ply])
        .filter(([value]) => value !== null)
        .map(([value, ply]) => `${this.x(ply).toFixed(1)},${this.y(value).toFixed(1)}`);
      draw(this.svg, "polyline", { class: `curve ${name}`, points: corners.join(" ") });
    }
    this.cursor = draw(this.svg, "line", { class: "cursor", y1: CHART.top, y2: CHART.height - CHART.bottom });
  }

  show(ply) {
    this.cursor.setAttribute("x1", this.x(ply));
    this.cursor.setAttribute("x2", this.x(ply));
  }

  x(ply) {
    return CHART.left + ((CHART.width - CHART.left - CHART.right) * ply) / Math.max(this.length, 1);
  }

  y(value) {
    return CHART.height - CHART.bottom - ((CHART.height - CHART.top - CHART.bottom) * value) / this.top;
  }
}

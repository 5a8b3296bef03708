"use strict";

const SVG = "http://www.w3.org/2000/svg";
const COLOUR_NAMES = ["empty", "black", "white"];
// Where the light falls on a stone, and its colours from there to its rim.
const SHADES = { black: ["#5a5854", "#24221f", "#0f0e0d"], white: ["#ffffff", "#f4f1ea", "#cbc5b8"] };

function draw(parent, tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

// One unit a point; the centre of the top left point is at (1, 1), coordinates outside it.
class BoardView {
  constructor(svg, size) {
    this.size = size;
    svg.replaceChildren();
    this.drawShades(svg);
    this.drawBoard(svg);
    this.layer = draw(svg, "g", {});
    this.stones = Array.from({ length: size * size }, (_, point) => this.drawStone(this.layer, point));
    this.last = draw(svg, "circle", { r: 0.2 });
    this.colours = new Uint8Array(size * size);
  }

  show(position) {
    position.stones.forEach((colour, point) => {
      if (this.colours[point] === colour) return;
      this.colours[point] = colour;
      this.stones[point].setAttribute("class", `stone ${COLOUR_NAMES[colour]}`);
    });
    const isOnBoard = position.point !== null && position.point < this.size ** 2;
    this.last.setAttribute("class", isOnBoard ? `last on-${COLOUR_NAMES[position.colour]}` : "no-last");
    if (!isOnBoard) return;
    const [cx, cy] = this.centre(position.point);
    this.last.setAttribute("cx", cx);
    this.last.setAttribute("cy", cy);
  }

  centre(point) {
    return [1 + (point % this.size), 1 + Math.floor(point / this.size)];
  }

  // Once in a page: boards share them by their ids.
  drawShades(svg) {
    if (document.getElementById("wood")) return;
    const shades = draw(svg, "defs", {});
    const wood = draw(shades, "linearGradient", { id: "wood", x2: "100%", y2: "100%" });
    draw(wood, "stop", { class: "wood-light" });
    draw(wood, "stop", { class: "wood-dark", offset: 1 });
    for (const [name, colours] of Object.entries(SHADES)) {
      const gradient = draw(shades, "radialGradient", { id: `${name}-stone`, cx: "36%", cy: "32%", r: "72%" });
      colours.forEach((colour, i) => draw(gradient, "stop", { offset: i / 2, "stop-color": colour }));
    }
  }

  drawWood(svg, x, y, width, height) {
    svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    draw(svg, "rect", { fill: "url(#wood)", x, y, width, height, rx: 0.2 });
  }

  drawBoard(svg) {
    const size = this.size;
    this.drawWood(svg, -0.3, -0.3, size + 1.6, size + 1.6);
    for (let i = 1; i <= size; i++) {
      const edge = i === 1 || i === size ? "grid edge" : "grid";
      draw(svg, "line", { class: edge, x1: i, x2: i, y1: 1, y2: size });
      draw(svg, "line", { class: edge, x1: 1, x2: size, y1: i, y2: i });
      for (const side of [0.12, size + 0.88]) {
        draw(svg, "text", { x: i, y: side }, pointName(size, i - 1)[0]);
        draw(svg, "text", { x: side, y: i }, size + 1 - i);
      }
    }
    for (const cx of [4, 10, 16]) for (const cy of [4, 10, 16]) draw(svg, "circle", { class: "star", cx, cy, r: 0.11 });
  }

  drawStone(layer, point) {
    const stone = draw(layer, "g", { class: "stone empty" });
    const [cx, cy] = this.centre(point);
    draw(stone, "circle", { class: "shadow", cx: cx + 0.03, cy: cy + 0.06, r: 0.475 });
    draw(stone, "circle", { class: "body", cx, cy, r: 0.475 });
    return stone;
  }
}

"use strict";

// Replays the game that the page carries as JSON: a board, its controls, and two curves.

const SVG = "http://www.w3.org/2000/svg";
const COLOUR_NAMES = ["", "Black", "White"];
const CHART = { width: 400, height: 120, left: 34, right: 8, top: 8, bottom: 16 };

function draw(parent, tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent.append(node);
  return node;
}

// The next number with one digit and zeros behind it: 3674 → 4000.
function roundUp(number) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(number, 2)));
  return Math.max(2, Math.ceil(number / unit) * unit);
}

// One unit a point; the centre of the top left point is at (1, 1), coordinates outside it.
class BoardView {
  constructor(svg, size) {
    this.size = size;
    this.svg = svg;
    svg.setAttribute("viewBox", `-0.3 -0.3 ${size + 1.6} ${size + 1.6}`);
    draw(svg, "rect", { class: "wood", x: -0.3, y: -0.3, width: size + 1.6, height: size + 1.6, rx: 0.25 });
    for (let i = 1; i <= size; i++) {
      draw(svg, "line", { class: "grid", x1: i, x2: i, y1: 1, y2: size });
      draw(svg, "line", { class: "grid", x1: 1, x2: size, y1: i, y2: i });
      const letter = pointName(size, i - 1)[0], number = size + 1 - i;
      for (const edge of [0.12, size + 0.88]) {
        draw(svg, "text", { x: i, y: edge }, letter);
        draw(svg, "text", { x: edge, y: i }, number);
      }
    }
    for (const x of [4, 10, 16]) for (const y of [4, 10, 16]) draw(svg, "circle", { class: "star", cx: x, cy: y, r: 0.13 });
    this.layer = draw(svg, "g", {});
  }

  show(position) {
    this.layer.replaceChildren();
    position.stones.forEach((colour, point) => {
      if (colour === EMPTY) return;
      const [x, y] = this.centre(point);
      draw(this.layer, "circle", { class: colour === BLACK ? "black" : "white", cx: x, cy: y, r: 0.47 });
    });
    if (position.point !== null && position.point < this.size ** 2) {
      const [x, y] = this.centre(position.point);
      draw(this.layer, "circle", { class: `last on-${COLOUR_NAMES[position.colour].toLowerCase()}`, cx: x, cy: y, r: 0.22 });
    }
  }

  centre(point) {
    return [1 + (point % this.size), 1 + Math.floor(point / this.size)];
  }
}

// A curve for each network over the plies that it chose; clicking or dragging goes to a ply.
class Chart {
  constructor(svg, series, top, format, seek) {
    this.svg = svg;
    this.length = series.length;
    this.top = top;
    svg.setAttribute("viewBox", `0 0 ${CHART.width} ${CHART.height}`);
    for (const share of [0, 0.5, 1]) {
      const y = this.y(share * top);
      draw(svg, "line", { class: "grid", x1: CHART.left, x2: CHART.width - CHART.right, y1: y, y2: y });
      draw(svg, "text", { x: CHART.left - 5, y }, format(share * top));
    }
    for (const colour of [BLACK, WHITE]) {
      const corners = series
        .map((value, i) => [value, i + 1])
        .filter(([value, ply]) => value !== null && (ply % 2 === 1 ? BLACK : WHITE) === colour)
        .map(([value, ply]) => `${this.x(ply).toFixed(1)},${this.y(value).toFixed(1)}`);
      draw(svg, "polyline", { class: `curve ${COLOUR_NAMES[colour].toLowerCase()}`, points: corners.join(" ") });
    }
    this.cursor = draw(svg, "line", { class: "cursor", y1: CHART.top, y2: CHART.height - CHART.bottom });
    const follow = (event) => {
      const share = (event.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width;
      const span = CHART.width - CHART.left - CHART.right;
      seek(Math.round(((share * CHART.width - CHART.left) / span) * this.length));
    };
    svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); follow(event); });
    svg.addEventListener("pointermove", (event) => { if (event.buttons) follow(event); });
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

class Viewer {
  constructor(root, game) {
    this.part = (name) => root.querySelector(`[data-part="${name}"]`);
    this.game = game;
    this.positions = positionsOf(game.size, game.points);
    this.last = game.points.length;
    this.timer = null;
    this.board = new BoardView(this.part("board"), game.size);
    const seek = (ply) => { this.pause(); this.show(ply); };
    const percent = (share) => `${Math.round(100 * share)} %`;
    this.charts = [
      new Chart(this.part("value"), game.value_black, 1, percent, seek),
      new Chart(this.part("visits"), game.visits, roundUp(Math.max(...game.visits)), (visits) => visits, seek),
    ];
    this.part("slider").max = this.last;
    this.part("slider").addEventListener("input", (event) => seek(Number(event.target.value)));
    this.actions = {
      first: () => seek(0),
      back10: () => seek(this.ply - 10),
      back: () => seek(this.ply - 1),
      play: () => this.toggle(),
      forward: () => seek(this.ply + 1),
      forward10: () => seek(this.ply + 10),
      last: () => seek(this.last),
    };
    for (const [name, act] of Object.entries(this.actions)) this.part(name).addEventListener("click", act);
    document.addEventListener("keydown", (event) => this.onKey(event));
    this.watchBoard();
    const asked = Number.parseInt(location.hash.slice(1), 10);
    this.show(Number.isNaN(asked) ? this.last : asked);
  }

  show(ply) {
    this.ply = Math.min(Math.max(ply, 0), this.last);
    const position = this.positions[this.ply];
    this.board.show(position);
    for (const chart of this.charts) chart.show(this.ply);
    this.part("slider").value = this.ply;
    this.part("count").textContent = `Move ${this.ply} of ${this.last}`;
    this.part("captured-black").textContent = position.captured[BLACK];
    this.part("captured-white").textContent = position.captured[WHITE];
    const move = this.moveText(position);
    this.part("move").textContent = move;
    this.part("cost").textContent = this.costText();
    this.part("slider").setAttribute("aria-valuetext", `${this.ply}: ${move}`);
    this.part("board").setAttribute("aria-label", `Position after move ${this.ply} of ${this.last}, ${move}`);
  }

  moveText(position) {
    if (position.point === null) return "the empty board";
    return `${COLOUR_NAMES[position.colour]} ${pointName(this.game.size, position.point)}`;
  }

  costText() {
    const i = this.ply - 1;
    if (i < 0) return "";
    if (i < this.game.num_opening) return "a move of the opening, chosen by neither network";
    const chance = Math.round(100 * this.game.value_black[i]);
    const seconds = this.game.cpu_seconds[i];
    const cost = seconds >= 0.1 ? `${seconds.toFixed(2)} s` : `${(1000 * seconds).toFixed(1)} ms`;
    return `${this.game.visits[i]} visits · ${cost} CPU · sees Black at ${chance} %`;
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.ply === this.last) this.show(0);
    this.timer = setInterval(() => {
      this.show(this.ply + 1);
      if (this.ply === this.last) this.pause();
    }, 500);
    this.part("play").textContent = "Pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.part("play").textContent = "Play";
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target.closest("a, button")) return;
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };
    if (!(event.key in keys)) return;
    event.preventDefault();
    const isArrow = event.key.startsWith("Arrow");
    this.actions[keys[event.key] + (isArrow && event.shiftKey ? "10" : "")]();
  }

  // A tap on the board's right half goes on, one on its left half goes back; so does a swipe.
  watchBoard() {
    let start = null;
    this.part("board").addEventListener("pointerdown", (event) => { start = event.button === 0 ? event.clientX : null; });
    this.part("board").addEventListener("pointerup", (event) => {
      if (start === null) return;
      const moved = event.clientX - start;
      const box = this.part("board").getBoundingClientRect();
      const forward = Math.abs(moved) > 30 ? moved < 0 : event.clientX > box.left + box.width / 2;
      start = null;
      this.actions[forward ? "forward" : "back"]();
    });
  }
}

new Viewer(document.querySelector("[data-viewer]"), JSON.parse(document.getElementById("game").textContent));

"use strict";

// A board to play on, with what a network says about it drawn between the lines and the stones.

const LEAST_DRAWN = 0.001; // of the policy
const LEAST_LABELLED = 0.01; // likewise
const ALWAYS_LABELLED = 10; // of the likeliest moves, where they are drawn

class SeenBoard {
  // `play` is called with a point, `tell` with words about the point that is aimed at.
  constructor(element, play, tell) {
    this.element = element;
    this.svg = element.querySelector("svg");
    this.view = new BoardView(this.svg, 19);
    this.below = draw(this.svg, "g", {});
    this.view.layer.before(this.below);
    this.above = draw(this.svg, "g", {});
    this.ring = draw(this.svg, "circle", { class: "aim", r: 0.44 });
    this.play = play;
    this.tell = tell;
    this.aim(180);
    this.svg.addEventListener("pointermove", (event) => {
      const point = this.pointAt(event);
      if (event.pointerType !== "touch" && point !== null) this.aim(point);
    });
    this.svg.addEventListener("click", (event) => this.onClick(event));
    this.svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  // `last` is the last move, a colour and a point, or undefined.
  show(stones, last, label) {
    const [colour, point] = last ?? [EMPTY, null];
    this.view.show({ stones, point, colour });
    this.stones = stones;
    this.svg.setAttribute("aria-label", label);
    this.svg.classList.remove("aimed");
    this.below.replaceChildren();
    this.above.replaceChildren();
  }

  // Squares by share, as strong in every position and of every network, and per cents.
  drawPolicy(policy) {
    const empty = [...policy.keys()].filter((point) => this.stones[point] === EMPTY);
    empty.sort((one, other) => policy[other] - policy[one]);
    empty.forEach((point, place) => {
      const share = policy[point];
      if (share < LEAST_DRAWN) return;
      const strength = 0.85 * Math.sqrt(share); // so that small shares can be told apart
      const [x, y] = this.view.centre(point);
      draw(this.below, "rect", { class: "heat", x: x - 0.5, y: y - 0.5, width: 1, height: 1, "fill-opacity": strength.toFixed(3) });
      const name = strength > 0.45 ? "share strong" : "share";
      const isLabelled = share >= LEAST_LABELLED || place < ALWAYS_LABELLED;
      if (isLabelled) draw(this.below, "text", { class: name, x, y }, percentText(share, 0.95));
    });
  }

  // A mark on each point that counts for a colour and has no stone of it.
  drawArea(owners) {
    owners.forEach((owner, point) => {
      if (owner === EMPTY || owner === this.stones[point]) return;
      const [x, y] = this.view.centre(point);
      draw(this.above, "rect", { class: `owner ${COLOUR_NAMES[owner]}`, x: x - 0.18, y: y - 0.18, width: 0.36, height: 0.36 });
    });
  }

  // Numbered stones of a line that `colour` begins.
  drawLine(points, colour) {
    points.forEach((point, i) => {
      if (point === 361 || points.indexOf(point) !== i || this.stones[point] !== EMPTY) return;
      const mover = i % 2 === 0 ? colour : BLACK + WHITE - colour;
      const [x, y] = this.view.centre(point);
      const stone = draw(this.above, "g", { class: `expected ${COLOUR_NAMES[mover]}` });
      draw(stone, "circle", { cx: x, cy: y, r: 0.46 });
      draw(stone, "text", { x, y }, i + 1);
    });
  }

  aim(point) {
    this.aimedAt = point;
    const [cx, cy] = this.view.centre(point);
    this.ring.setAttribute("cx", cx);
    this.ring.setAttribute("cy", cy);
  }

  // The point below a pointer, or null beside the board.
  pointAt(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const [column, row] = [Math.round(x) - 1, Math.round(y) - 1];
    return [column, row].every((i) => i >= 0 && i < 19) ? 19 * row + column : null;
  }

  // A finger covers several points: its first tap aims, a second one at the same point plays.
  onClick(event) {
    const point = this.pointAt(event);
    if (point === null) return;
    const isSure = event.pointerType !== "touch" || (this.svg.classList.contains("aimed") && point === this.aimedAt);
    this.aim(point);
    if (isSure) return this.play(point);
    this.svg.classList.add("aimed");
    this.tell(`${pointName(19, point)}: tap again to play`);
  }

  onKey(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.play(this.aimedAt);
    else if (event.key in steps) this.step(...steps[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  step(right, down) {
    const within = (i) => Math.min(Math.max(i, 0), 18);
    const [column, row] = [this.aimedAt % 19, Math.floor(this.aimedAt / 19)];
    this.aim(19 * within(row + down) + within(column + right));
    this.tell(`${pointName(19, this.aimedAt)}, ${COLOUR_NAMES[this.stones[this.aimedAt]]}`);
  }
}

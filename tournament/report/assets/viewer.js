"use strict";

// Replays a game: a board, its controls, and curves of what the networks saw and spent.

const PLAY_INTERVAL = 500; // milliseconds
const SWIPE = 30; // pixels

function percentText(share) {
  return `${Math.round(100 * share)}\u00a0%`;
}

function secondsText(seconds) {
  if (seconds === 0) return "0 s";
  return seconds >= 0.1 ? `${Number(seconds.toFixed(2))} s` : `${Number((1000 * seconds).toFixed(1))} ms`;
}

// A curve for each network over the plies that it chose, of one value a move.
function curvesOf(series) {
  return [BLACK, WHITE].map((colour) => ({
    name: COLOUR_NAMES[colour],
    values: [null, ...series.map((value, i) => (moverOf(i + 1) === colour ? value : null))],
  }));
}

class Viewer {
  constructor(part) {
    this.part = part;
    this.timer = null;
    const seek = (ply) => { this.pause(); this.show(ply); };
    this.valueChart = new Chart(part("value-chart"), percentText, seek);
    this.visitsChart = new Chart(part("visits-chart"), String, seek);
    this.cpuChart = new Chart(part("cpu-chart"), secondsText, seek);
    part("slider").addEventListener("input", (event) => seek(Number(event.target.value)));
    this.actions = {
      first: () => seek(0),
      back10: () => seek(this.ply - 10),
      back: () => seek(this.ply - 1),
      play: () => this.toggle(),
      forward: () => seek(this.ply + 1),
      forward10: () => seek(this.ply + 10),
      last: () => seek(this.end),
    };
    for (const [name, act] of Object.entries(this.actions)) part(name).addEventListener("click", act);
    document.addEventListener("keydown", (event) => this.onKey(event));
    this.watchBoard(part("board"));
  }

  // Shows a game as readSgf gives it, after `ply` moves or at its end.
  open(game, ply) {
    this.pause();
    this.game = game;
    this.end = game.points.length;
    this.positions = positionsOf(game.size, game.points);
    this.board = new BoardView(this.part("board"), game.size);
    this.valueChart.draw(curvesOf(game.valueBlack), this.end, 1);
    this.visitsChart.draw(curvesOf(game.visits), this.end, roundUp(Math.max(...game.visits)));
    this.cpuChart.draw(curvesOf(game.cpuSeconds), this.end, roundUp(Math.max(...game.cpuSeconds)));
    this.part("slider").max = this.end;
    this.show(Number.isNaN(ply) ? this.end : ply);
  }

  show(ply) {
    this.ply = Math.min(Math.max(ply, 0), this.end);
    const position = this.positions[this.ply];
    this.board.show(position);
    for (const chart of [this.valueChart, this.visitsChart, this.cpuChart]) chart.show(this.ply);
    const move = this.moveText(position);
    this.part("count").textContent = `Move ${this.ply} of ${this.end}`;
    this.part("move").textContent = move;
    this.part("cost").textContent = this.costText();
    this.part("black-captured").textContent = position.captured[BLACK];
    this.part("white-captured").textContent = position.captured[WHITE];
    this.part("slider").value = this.ply;
    this.part("slider").setAttribute("aria-valuetext", `${this.ply}: ${move}`);
    this.part("board").setAttribute("aria-label", `Board after move ${this.ply} of ${this.end}: ${move}`);
  }

  moveText(position) {
    if (position.point === null) return "The empty board";
    const colour = position.colour === BLACK ? "Black" : "White";
    return `${colour} ${pointName(this.game.size, position.point)}`;
  }

  costText() {
    if (this.ply === 0) return "";
    const i = this.ply - 1;
    const visits = this.game.visits[i];
    if (visits === null) return "A move of the opening, chosen by neither network";
    const cpu = secondsText(this.game.cpuSeconds[i]);
    const chance = percentText(this.game.valueBlack[i]);
    return `${visits} ${visits === 1 ? "visit" : "visits"} · ${cpu} CPU · Black's chance ${chance}`;
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.ply === this.end) this.show(0);
    this.timer = setInterval(() => {
      this.show(this.ply + 1);
      if (this.ply === this.end) this.pause();
    }, PLAY_INTERVAL);
    this.part("play").textContent = "Pause";
    this.part("move").setAttribute("aria-live", "off");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.part("play").textContent = "Play";
    this.part("move").setAttribute("aria-live", "polite");
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.game === undefined) return;
    if (event.key === " " && event.target.closest("a, button")) return;
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };
    if (!(event.key in keys)) return;
    event.preventDefault();
    const isArrow = event.key.startsWith("Arrow");
    this.actions[keys[event.key] + (isArrow && event.shiftKey ? "10" : "")]();
  }

  // A tap on the board's right half goes on, one on its left half goes back; so does a swipe.
  watchBoard(board) {
    let start = null;
    board.addEventListener("pointerdown", (event) => { start = event.button === 0 ? event.clientX : null; });
    board.addEventListener("pointercancel", () => { start = null; });
    board.addEventListener("pointerup", (event) => {
      if (start === null) return;
      const moved = event.clientX - start;
      const box = board.getBoundingClientRect();
      const isOn = Math.abs(moved) > SWIPE ? moved < 0 : event.clientX > box.left + box.width / 2;
      start = null;
      this.actions[isOn ? "forward" : "back"]();
    });
  }
}

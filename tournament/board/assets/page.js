"use strict";

// The game, and who plays it. The server knows the rules and asks the networks; it keeps nothing.

const YOU = "you";
const KEPT = "game"; // in the tab's storage
const USUAL = { seconds: 1, visits: 100 };
const MAX_BYTES = 2 ** 25; // of a file, as in server.py
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const made = (name) => part(name).content.firstElementChild.cloneNode(true);

class Page {
  // Players have a seat; networks also show what they see. `seats` has who plays each colour by name, null for you.
  constructor(networks, players, seats) {
    this.networks = networks;
    this.names = [...networks, ...players];
    this.known = this.names.map(() => new Knowledge());
    this.controller = new AbortController();
    this.isStopped = false;
    this.thinking = "";
    this.chart = new Chart(part("chart"), (share) => `${Math.round(100 * share)}\u00a0%`, (ply) => this.goTo(ply));
    this.boards = [0, 1].map((i) => this.makeBoard(i));
    this.readings = [0, 1].map(() => made("reading-template"));
    part("readings").append(...this.readings);
    for (const [i, colour] of ["black", "white"].entries()) {
      this.fillSelect(part(colour), [[YOU, "You"], ...this.options(this.names)], this.chosen(seats[i]));
      part(colour).addEventListener("change", () => this.sit());
    }
    this.listen();
  }

  makeBoard(i) {
    const element = made("board-template");
    part("boards").append(element);
    const board = new SeenBoard(element, (point) => this.playHere(point), (text) => { part("aim").textContent = text; });
    const select = element.querySelector("select");
    this.fillSelect(select, this.options(this.networks), Math.min(i, this.networks.length - 1));
    select.addEventListener("change", () => this.begin((signal) => this.follow(signal)));
    board.network = () => Number(select.value);
    return board;
  }

  options(names) {
    return names.map((name, i) => [i, name]);
  }

  // The seat of this name, the first network's if nobody has the name.
  chosen(name) {
    return name === null ? YOU : Math.max(this.names.indexOf(name), 0);
  }

  fillSelect(select, options, chosen) {
    select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
    select.value = chosen;
  }

  listen() {
    const actions = {
      first: () => this.goTo(0),
      back: () => this.goTo(this.ply - 1),
      forward: () => this.goTo(this.ply + 1),
      last: () => this.goTo(this.game.moves.length),
      undo: () => this.undo(),
      pass: () => this.playHere(361),
      stop: () => this.stop(),
      search: () => this.searchHere(),
      new: () => this.open(emptyGame(this.komi()), false),
      save: () => this.save(),
    };
    for (const [name, act] of Object.entries(actions)) part(name).addEventListener("click", act);
    part("load").addEventListener("change", () => this.load());
    part("overlay").addEventListener("change", () => this.show());
    part("unit").addEventListener("change", () => { part("amount").value = USUAL[part("unit").value]; });
    part("compare-setting").hidden = this.networks.length < 2;
    part("compare").addEventListener("change", () => this.begin((signal) => this.follow(signal)));
    part("komi").addEventListener("change", () => this.changeKomi());
    document.addEventListener("keydown", (event) => {
      const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
      if (event.target.closest("input, select")) return;
      event.preventDefault();
      actions[keys[event.key]]();
    });
  }

  // Ends what is under way, and begins something else.
  async begin(work) {
    this.controller.abort();
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.say("");
    this.think("");
    try {
      await work(signal);
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      this.isStopped = true;
      this.say(problem.message);
    }
    this.think("");
  }

  // Shows a game at its end.
  open(game, isStopped) {
    return this.begin(async (signal) => {
      const position = await ask("position", { game, ply: game.moves.length }, signal);
      this.isStopped = isStopped;
      this.known.forEach((known) => { known.values = []; known.cut(-1); });
      part("komi").value = game.komi;
      this.arrive(game, game.moves.length, position);
      await this.follow(signal);
    });
  }

  goTo(ply) {
    const within = Math.min(Math.max(ply, 0), this.game.moves.length);
    return this.begin(async (signal) => {
      this.arrive(this.game, within, await ask("position", { game: this.game, ply: within }, signal));
      await this.follow(signal);
    });
  }

  arrive(game, ply, position) {
    this.game = game;
    this.ply = ply;
    this.position = position;
    this.keep();
    this.show();
  }

  // For a reload of the page.
  keep() {
    const seats = [BLACK, WHITE].map((colour) => this.names[this.seatOf(colour)] ?? null);
    sessionStorage.setItem(KEPT, JSON.stringify({ game: this.game, isStopped: this.isStopped, seats }));
  }

  // Asks the networks that are shown, and lets those that play move as long as it is their turn.
  async follow(signal) {
    for (;;) {
      await this.look(signal);
      if (!this.isNetworksTurn()) return;
      const network = Number(this.seat());
      this.think(`${this.names[network]} is thinking.`);
      const { point } = await this.search(network, signal);
      await this.play(point, signal);
    }
  }

  async look(signal) {
    const { game, ply } = this;
    this.show();
    await Promise.all(this.shown().map(async (network) => {
      const known = this.known[network];
      if (known.policies[ply]) return;
      const since = Math.min(known.values.length, ply);
      const said = await ask("look", { game, ply, network, since }, signal);
      known.values.splice(since, ply + 1 - since, ...said.values_white);
      known.policies[ply] = said.policy;
    }));
    this.show();
  }

  async search(network, signal) {
    const { game, ply } = this;
    const limit = { [part("unit").value]: part("amount").valueAsNumber };
    const found = await ask("search", { game, ply, network, ...limit }, signal);
    this.known[network].searches[ply] = found;
    return found;
  }

  searchHere() {
    return this.begin(async (signal) => {
      this.think("Searching.");
      await Promise.all(this.shown().map((network) => this.search(network, signal)));
      await this.follow(signal);
    });
  }

  // A move at the position that is shown; what followed it is gone.
  async play(point, signal) {
    const moves = [...this.game.moves.slice(0, this.ply), [this.position.to_play, point]];
    const game = { ...emptyGame(this.game.komi), set_up: this.game.set_up, moves };
    const position = await ask("position", { game, ply: moves.length }, signal);
    this.known.forEach((known) => known.cut(this.ply));
    this.arrive(game, moves.length, position);
  }

  playHere(point) {
    if (this.isNetworksTurn()) return this.say(`It is the turn of ${this.names[this.seat()]}. Press Stop to move in its place.`);
    return this.begin(async (signal) => {
      try {
        await this.play(point, signal);
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        this.say(problem.message);
      }
      await this.follow(signal);
    });
  }

  // Takes the shown move back, and with it those of networks up to your last one.
  undo() {
    if (this.ply === 0) return undefined;
    const { moves } = this.game;
    const isYours = ([colour]) => this.seatOf(colour) === YOU;
    let ply = this.ply - 1;
    if (!this.isStopped && moves.slice(0, this.ply).some(isYours)) while (!isYours(moves[ply])) ply--;
    return this.begin(async (signal) => {
      const [to_play] = moves[ply];
      const game = { ...emptyGame(this.game.komi), set_up: this.game.set_up, moves: moves.slice(0, ply), to_play };
      const position = await ask("position", { game, ply }, signal);
      this.known.forEach((known) => known.cut(ply));
      this.arrive(game, ply, position);
      await this.follow(signal);
    });
  }

  sit() {
    this.keep();
    return this.begin((signal) => this.follow(signal));
  }

  stop() {
    this.isStopped = !this.isStopped;
    this.keep();
    return this.begin((signal) => this.follow(signal));
  }

  changeKomi() {
    const komi = this.komi();
    return this.open({ ...this.game, komi, result: "" }, this.isStopped);
  }

  komi() {
    return Number.isNaN(part("komi").valueAsNumber) ? 7.5 : part("komi").valueAsNumber;
  }

  async load() {
    const [file] = part("load").files;
    part("load").value = "";
    if (!file) return;
    try {
      if (file.size > MAX_BYTES) throw new Problem("the file is larger than 32 MB");
      const { game } = await ask("load", file);
      await this.open(game, true);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.say(`${file.name}: ${problem.message}`);
    }
  }

  async save() {
    const names = { black: this.game.black || this.nameOf(BLACK), white: this.game.white || this.nameOf(WHITE) };
    try {
      const { name, sgf } = await ask("save", { game: { ...this.game, ...names }, ply: this.ply });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.say(problem.message);
    }
  }

  seatOf(colour) {
    return part(COLOUR_NAMES[colour]).value;
  }

  seat() {
    return this.seatOf(this.position.to_play);
  }

  nameOf(colour) {
    const seat = this.seatOf(colour);
    return seat === YOU ? "Human" : this.names[seat];
  }

  isNetworksTurn() {
    const isAtEnd = this.ply === this.game.moves.length && !this.position.is_over;
    return isAtEnd && !this.isStopped && this.seat() !== YOU;
  }

  // The networks whose boards are shown.
  shown() {
    const isDouble = part("compare").checked;
    return [...new Set(this.boards.slice(0, isDouble ? 2 : 1).map((board) => board.network()))];
  }

  say(problem) {
    part("problem").textContent = problem;
    part("problem").hidden = !problem;
  }

  think(words) {
    this.thinking = words;
    if (this.position) this.showTurn();
  }

  show() {
    const { game, ply, position } = this;
    const isDouble = part("compare").checked;
    part("viewer").classList.toggle("double", isDouble);
    const last = ply > 0 ? game.moves[ply - 1] : undefined;
    const words = moveText(last);
    part("loaded").textContent = gameText(game);
    part("count").textContent = `Move ${ply} of ${game.moves.length}`;
    part("move").textContent = words;
    this.boards.forEach((board, i) => {
      const isShown = i === 0 || isDouble;
      board.element.hidden = this.readings[i].hidden = !isShown;
      if (!isShown) return;
      board.show(position.stones, last, `Board after move ${ply} of ${game.moves.length}: ${words}. Arrow keys aim, Enter plays.`);
      this.drawOverlay(board);
      const network = board.network();
      showReading(this.readings[i], this.networks[network], this.known[network], ply, game.moves, position.to_play);
      board.element.querySelector(".seer").hidden = this.networks.length < 2;
    });
    for (const colour of [BLACK, WHITE]) part(`${COLOUR_NAMES[colour]}-captured`).textContent = position.captured[colour];
    this.showCurves();
    this.showTurn();
  }

  drawOverlay(board) {
    const known = this.known[board.network()];
    const overlay = part("overlay").value;
    if (overlay === "policy" && known.policies[this.ply]) board.drawPolicy(known.policies[this.ply]);
    if (overlay === "area") board.drawArea(this.position.area);
    if (overlay === "line") board.drawLine(known.line(this.ply, this.game.moves), this.position.to_play);
  }

  showCurves() {
    const names = ["first", "second"];
    const curves = this.shown().map((network, i) => ({ name: names[i], values: this.known[network].values.map((value) => 1 - value) }));
    this.chart.draw(curves, Math.max(this.game.moves.length, 1), 1);
    this.chart.show(this.ply);
    part("keys").replaceChildren(...this.shown().flatMap((network, i) => {
      const key = document.createElement("span");
      key.className = `key ${names[i]}`;
      key.textContent = this.networks[network];
      return i === 0 ? [key] : [" and ", key];
    }));
  }

  showTurn() {
    const { position } = this;
    const score = scoreText(position);
    part("score").textContent = score;
    const waits = this.seat() === YOU || this.isNetworksTurn() ? "" : `; ${this.names[this.seat()]} waits`;
    const turn = position.is_over ? `The game is over. ${score}` : `${colourText(position.to_play)} to play${waits}.`;
    part("status").textContent = this.thinking || turn;
    part("stop").textContent = this.isStopped ? "Go on" : "Stop";
  }
}

async function begin() {
  const { networks, players } = await ask("networks", {});
  const kept = JSON.parse(sessionStorage.getItem(KEPT));
  const page = new Page(networks, players, kept?.seats ?? [null, networks[0]]);
  await page.open(kept?.game ?? emptyGame(7.5), kept?.isStopped ?? false);
}

begin().catch((problem) => {
  part("problem").textContent = problem.message;
  part("problem").hidden = false;
});

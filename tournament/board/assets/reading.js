"use strict";

// What a network has said about the positions of a game, and how the page words it.

const NUM_MOVES = 5;

// Lists by ply: P(White wins), the policy, and what a search found.
class Knowledge {
  constructor() {
    this.values = [];
    this.policies = [];
    this.searches = [];
  }

  // Forgets what comes after the position of this ply.
  cut(ply) {
    for (const list of [this.values, this.policies, this.searches]) list.length = Math.min(list.length, ply + 1);
  }

  // The moves that the network expects from a ply on: of a search there, or of that of the last move.
  line(ply, moves) {
    if (this.searches[ply]) return lineOf(this.searches[ply]);
    if (ply === 0 || !this.searches[ply - 1]) return [];
    const [first, ...rest] = lineOf(this.searches[ply - 1]);
    return first === moves[ply - 1][1] ? rest : [];
  }

  // The moves that a search visited most, or else those of most policy.
  candidates(ply) {
    if (this.searches[ply]) return this.searches[ply].candidates;
    const policy = this.policies[ply] ?? [];
    const likeliest = [...policy.keys()].sort((one, other) => policy[other] - policy[one]);
    return likeliest.slice(0, NUM_MOVES).map((point) => ({ point }));
  }
}

// The best move and what is expected after it; a move without alternative was not searched.
function lineOf({ point, candidates }) {
  return candidates.length ? candidates[0].line : [point];
}

function chanceOfBlack(valueWhite) {
  return `${Math.round(100 * (1 - valueWhite))}\u00a0%`;
}

// Per cents, with a decimal below `whole`.
function percentText(share, whole) {
  const percent = 100 * share;
  return percent >= whole ? Math.round(percent) : percent.toFixed(1);
}

function lineText(points, colour) {
  return points
    .map((point, i) => `${(i % 2 === 0) === (colour === BLACK) ? "B" : "W"}\u00a0${pointName(19, point)}`)
    .join(", ");
}

// Fills a network's section: its judgement of a position, the moves it looks at, what it expects.
function showReading(section, name, known, ply, moves, toPlay) {
  const find = (selector) => section.querySelector(selector);
  const search = known.searches[ply];
  find("h2").textContent = name;
  const own = known.values[ply] === undefined ? "" : `Black's chance: ${chanceOfBlack(known.values[ply])} without search`;
  const visits = search && `${search.num_visits} ${search.num_visits === 1 ? "visit" : "visits"}`;
  const searched = search ? `, ${chanceOfBlack(search.value_white)} after ${visits} in ${search.cpu_seconds.toFixed(2)}\u00a0s` : "";
  find(".chance").textContent = own + searched;
  find("tbody").replaceChildren(...known.candidates(ply).map((candidate) => {
    const row = document.createElement("tr");
    const { num_visits: visits, value_white: value } = candidate;
    const share = known.policies[ply]?.[candidate.point]; // none of a pass
    row.append(
      cell("th", pointName(19, candidate.point)),
      cell("td", share === undefined ? "–" : `${percentText(share, 9.95)}\u00a0%`),
      cell("td", visits ?? "–"),
      cell("td", value === undefined ? "–" : chanceOfBlack(value)),
    );
    return row;
  }));
  const line = known.line(ply, moves);
  find(".line").textContent = line.length ? `Expects ${lineText(line, toPlay)}` : "";
}

function cell(tag, text) {
  const made = document.createElement(tag);
  if (tag === "th") made.scope = "row";
  else made.className = "number";
  made.textContent = text;
  return made;
}

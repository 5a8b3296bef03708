"use strict";

// Boards and clocks of the games that a run is playing, from live.json.

const SIZE = 19;
const SOON = 3_000, LATER = 30_000; // milliseconds until the next look, with games and without
const STALE = 600_000; // milliseconds; the file of a run that was killed stays
const live = document.querySelector('[data-part="live"]');
const list = document.querySelector('[data-part="live-games"]');
const places = []; // they stay, since all boards use the colours of the first one

function newPlace() {
  const item = document.createElement("li");
  const svg = draw(item, "svg", { class: "board", role: "img" });
  const words = document.createElement("p");
  item.append(words);
  list.append(item);
  return { item, svg, words, board: new BoardView(svg, SIZE) };
}

function clock({ name, cpu_seconds: all, last_seconds: last }) {
  return `${name} ${all.toFixed(1)} s${last === null ? "" : ` (${last.toFixed(2)} s)`}`;
}

function showLive(games) {
  while (places.length < games.length) places.push(newPlace());
  places.forEach(({ item, svg, words, board }, i) => {
    item.hidden = i >= games.length;
    if (item.hidden) return;
    const { black, white, points } = games[i];
    board.show(positionsOf(SIZE, points).at(-1));
    svg.setAttribute("aria-label", `${black.name} against ${white.name}, the board after move ${points.length}`);
    words.textContent = `Move ${points.length}\nBlack: ${clock(black)}\nWhite: ${clock(white)}`;
  });
  live.hidden = games.length === 0;
  return games.length ? SOON : LATER;
}

async function gamesUnderWay() {
  const answer = await fetch("live.json", { cache: "no-cache" });
  if (!answer.ok) return [];
  const [now, written] = ["Date", "Last-Modified"].map((name) => Date.parse(answer.headers.get(name)));
  return now - written > STALE ? [] : (await answer.json()).games;
}

async function lookAtGames() {
  const games = await gamesUnderWay().catch(() => []); // the server is away
  setTimeout(lookAtGames, showLive(games));
}

if (location.protocol !== "file:") lookAtGames(); // a page from the disk can't read files

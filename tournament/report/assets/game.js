"use strict";

// The page of all games: its address, #MEETING/GAME/PLY, says which meeting's file to load and
// which of its games to show. Names and words go into the page as text, never as markup.

const league = document.title;
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const viewer = new Viewer(part);
const GONE = "This game is not here. It may have been removed from the league.";

function addressed() {
  const [meeting, game, ply] = location.hash.slice(1).split("/");
  return { meeting, game, ply: Number.parseInt(ply, 10) };
}

function element(tag, content, attributes = {}) {
  const node = document.createElement(tag);
  node.append(content);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function report(problem) {
  part("problem").textContent = problem;
  part("problem").hidden = false;
  part("content").hidden = true;
}

// Called by the meeting's file, which lists its games. Files may come in another order than they
// were asked for: one that the address no longer names is left alone.
function showMeeting(games, of = document.currentScript.dataset.meeting) {
  const { meeting, game, ply } = addressed();
  if (of !== meeting) return;
  const shown = game ? games.find(({ id }) => encodeURIComponent(id) === game) : games[0];
  if (!shown) return report(GONE);
  const wasInList = part("meeting").contains(document.activeElement);
  part("meeting").replaceChildren(...games.map(({ id, black, white, result }) => {
    const href = `#${meeting}/${encodeURIComponent(id)}`;
    const link = element("a", `${black.name} against ${white.name}`, { href });
    if (id === shown.id) link.setAttribute("aria-current", "page");
    const item = element("li", link);
    item.append(` ${result}`);
    return item;
  }));
  if (wasInList) part("meeting").querySelector("[aria-current]").focus();
  showGame(shown);
  part("content").hidden = false;
  viewer.open(readSgf(shown.sgf), ply);
}

function showGame({ file, black, white, outcome, about, sgf }) {
  document.title = `${black.name} against ${white.name} – ${league}`;
  const players = [black, white].map(({ name, page }) => element("a", name, { href: page }));
  part("players").replaceChildren(players[0], " ", element("span", "against", { class: "versus" }), " ", players[1]);
  part("outcome").textContent = outcome;
  for (const [colour, player] of Object.entries({ black, white })) {
    for (const what of ["name", "visits", "cpu"]) part(`${colour}-${what}`).textContent = player[what];
  }
  part("about").replaceChildren(...about.filter(([, value]) => value).map(([what, value]) => {
    const entry = element("div", element("dt", what));
    entry.append(element("dd", value));
    return entry;
  }));
  URL.revokeObjectURL(part("download").href);
  part("download").href = URL.createObjectURL(new Blob([sgf], { type: "application/x-go-sgf" }));
  part("download").download = file;
}

function load() {
  const { meeting } = addressed();
  if (!/^[0-9a-f]{12}$/.test(meeting)) return report("This address names no game.");
  part("problem").hidden = true;
  (globalThis.askForMeeting ?? loadScript)(meeting); // the first is of a server's challenge.js
}

function loadScript(meeting) {
  const script = element("script", "", {
    src: `games/${meeting.slice(0, 2)}/${meeting}.js`,
    "data-meeting": meeting,
  });
  script.addEventListener("load", () => script.remove());
  script.addEventListener("error", () => {
    if (meeting === addressed().meeting) report(GONE);
  });
  document.body.append(script);
}

// The address says which game to show, so the link to the content must not change it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  const main = document.getElementById("main");
  main.tabIndex = -1;
  main.focus();
});
window.addEventListener("hashchange", load);
load();

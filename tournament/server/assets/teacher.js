"use strict";

const REFRESH_SECONDS = 3;
const moment = (text) => text.slice(0, 16).replace("T", " ");
const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(1)} GB`;

function pair(name, value) {
  const made = document.createElement("div");
  made.append(element("dt", name), element("dd", value));
  return made;
}

function show(overview) {
  const { run, games, students } = overview;
  const isBetween = overview.weeks.length && !overview.weeks.some((week) => BUSY.has(week.state));
  part("run-words").textContent = wordsOf(run, games, isBetween);
  part("games").hidden = !games.scheduled;
  part("games").max = games.scheduled || 1;
  part("games").value = games.played;
  part("start").disabled = run.wanted && !run.problem;
  part("pause").disabled = !run.wanted && !run.running;
  const filed = students.filter((student) => student.network).length;
  const all = students.filter((student) => student.has_token || student.network).length;
  part("numbers").replaceChildren(
    pair("With a network in the league", `${filed} of ${all}`),
    pair("Files without a verdict", overview.waiting),
    ...wordsOfWork(overview.work),
    pair("Free on the disk", `${gigabytes(overview.disk.free)} of ${gigabytes(overview.disk.total)}`),
  );
  const told = JSON.stringify(students);
  if (told !== part("students").dataset.told) { // else a button would lose the focus
    part("students").dataset.told = told;
    part("students").replaceChildren(...students.map(rowOf));
  }
  part("term").hidden = !overview.weeks.length;
  part("weeks").replaceChildren(...overview.weeks.map(rowOfWeek));
}

function wordsOfWork({ workers, stopped }) {
  const leases = workers.reduce((sum, worker) => sum + worker.leases, 0);
  const told = workers.length ? [pair("Workers", `${workers.length}, with ${leases} game pairs`)] : [];
  return [...told, ...Object.values(stopped).map((why) => pair("A stopped worker", why))];
}

const BUSY = new Set(["playing", "due"]);
const WEEK_WORDS = {
  playing: "its games are being played",
  due: "over, and played as soon as the week before it is kept",
  open: "open: files are coming",
  "to come": "to come",
};

function rowOfWeek(week) {
  const row = document.createElement("tr");
  const name = element("th", week.ends);
  name.scope = "row";
  const state = element("td", WEEK_WORDS[week.state] ?? "");
  if (week.state === "kept") {
    const link = element("a", "its table and page");
    link.href = `site/weeks/${encodeURIComponent(week.ends)}/index.html`;
    state.append(link);
  }
  row.append(name, state);
  return row;
}

function wordsOf(run, games, isBetween) {
  const played = games.scheduled ? ` ${games.played} of ${games.scheduled} games are played.` : "";
  if (run.problem) return `Stopped: ${run.problem}`;
  if (run.running && run.wanted) return `Games are being played.${played}`;
  if (run.running) return `A run comes to its end, or was not started here.${played}`;
  if (isBetween) return `No week waits for its games.${played}`;
  if (run.wanted) return `Started: games are played as soon as there are any.${played}`;
  return `Paused.${played}`;
}

function rowOf(student) {
  const row = document.createElement("tr");
  const { last } = student;
  const name = element("th", student.written);
  name.scope = "row";
  if (!student.has_token) name.append(element("span", " without a token", "aside"));
  const verdict = element("td", last ? last.words : "Nothing yet.", "words");
  for (const fault of last ? last.faults : []) {
    verdict.append(` ${fault.text}`, element("span", fault.remedy, "remedy"));
  }
  if (last?.message) verdict.append(element("span", last.message, "message"));
  const playing = element("td", "", "plays");
  playing.append(...student.plays.map((sentence) => element("span", sentence)));
  row.append(
    name, element("td", student.handed_in, "number"),
    element("td", last ? moment(last.received_at) : "", "when"), verdict, playing,
    tokenCellOf(student),
  );
  return row;
}

function tokenCellOf(student) {
  const cell = element("td", "", "buttons-cell");
  const { name, has_token: hasToken } = student;
  const path = `api/teacher/tokens/${encodeURIComponent(name)}`;
  const renew = element("button", "New token", "button small");
  renew.setAttribute("aria-label", `New token for ${name}`);
  act(renew, async () => {
    if (hasToken && !confirm(`Give ${name} a new token? The old token then stops working.`)) return;
    showToken(await (await ask(path, "POST")).json());
  });
  cell.append(renew);
  if (hasToken) {
    const revoke = element("button", "Revoke", "button small");
    revoke.setAttribute("aria-label", `Revoke the token of ${name}`);
    act(revoke, async () => {
      if (!confirm(`Revoke the token of ${name}? Files and the network stay.`)) return;
      await ask(path, "DELETE");
      part("new-token").hidden = true;
    });
    cell.append(" ", revoke);
  }
  return cell;
}

function showToken(made) {
  part("new-token-name").textContent = made.name;
  part("new-token-text").textContent = made.token;
  part("new-token").hidden = false;
  part("new-token").scrollIntoView({ block: "nearest" });
}

async function look() {
  show(await (await ask("api/teacher")).json());
}

async function enter() {
  let isAway = false;
  for (;;) {
    try {
      await look();
      if (isAway) say("");
      isAway = false;
    } catch (problem) {
      if (problem.status === 401 || problem.status === 403) throw problem;
      isAway = true;
      say(problem.message);
    }
    await pause(REFRESH_SECONDS);
  }
}

function act(button, work) {
  button.addEventListener("click", async () => {
    say("");
    try {
      await work();
      await look();
    } catch (problem) {
      say(problem.message);
    }
  });
}

async function download() {
  part("export").disabled = true;
  try {
    const answer = await ask("api/teacher/export");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    const [, name] = /filename(?:="|\*=utf-8'')([^"]+)/.exec(answer.headers.get("Content-Disposition"));
    link.download = decodeURIComponent(name);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  } finally {
    part("export").disabled = false;
  }
}

act(part("start"), () => ask("api/teacher/start", "POST"));
act(part("pause"), () => ask("api/teacher/pause", "POST"));
act(part("export"), download);
begin("teacher", enter);

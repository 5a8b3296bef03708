"use strict";

async function enter(me) {
  part("name").textContent = me.written;
  followChallenges();
  const files = await showFiles();
  const last = files[0];
  if (last) await follow(last);
}

// Shows the latest files, or adds earlier ones; the answer's Link leads to those before them.
async function showFiles(earlier) {
  if (!earlier) await showWhatPlays();
  const answer = await ask(earlier ?? "api/uploads");
  const files = await answer.json();
  const rows = files.map(rowOf);
  if (earlier) part("files").append(...rows);
  else part("files").replaceChildren(...rows);
  const shown = part("files").children.length;
  part("none").hidden = shown > 0;
  part("table").hidden = shown === 0;
  const [, next] = /<([^>]+)>/.exec(answer.headers.get("Link")) ?? [];
  part("earlier").hidden = !next;
  part("earlier").dataset.path = `api/${next}`;
  return files;
}

async function showWhatPlays() {
  const sentences = await (await ask("api/plays")).json();
  part("plays").replaceChildren(...sentences.map((sentence) => element("span", sentence)));
}

function rowOf(upload) {
  const row = document.createElement("tr");
  const when = upload.received_at.slice(0, 16).replace("T", " ");
  const verdict = element("td", upload.words, "words");
  if (upload.faults.length) verdict.append(faultsOf(upload));
  row.append(element("td", when, "when"), fileCellOf(upload), verdict);
  return row;
}

function fileCellOf(upload) {
  const cell = element("td", upload.file, "file");
  if (upload.message) cell.append(element("span", upload.message, "message"));
  return cell;
}

function faultsOf(upload) {
  const list = element("ol", "", "faults");
  for (const fault of upload.faults) {
    const item = element("li", fault.text);
    item.append(element("span", fault.remedy, "remedy"));
    list.append(item);
  }
  return list;
}

// Asks for a file's verdict until it has one, through restarts of the server.
async function follow(upload) {
  while (upload.state === "queued" || upload.state === "judging") {
    busy(upload.words);
    await pause(1.5);
    try {
      upload = await (await ask(`api/uploads/${upload.id}`)).json();
      say("");
    } catch (problem) {
      if (problem.status && problem.status !== 429 && problem.status < 500) throw problem;
      say(`${problem.message} Your file is stored; this page asks again.`);
      await pause(problem.retryAfter);
    }
  }
  busy("");
  showVerdict(upload);
  await showFiles();
}

function busy(text, done) {
  part("sending").hidden = !text;
  part("send").disabled = Boolean(text);
  part("doing").textContent = text;
  const bar = document.getElementById("bar");
  if (done === undefined) bar.removeAttribute("value");
  else bar.value = done;
}

function showVerdict(upload) {
  part("verdict").hidden = false;
  part("verdict").dataset.state = upload.state;
  part("verdict-title").textContent = `${upload.file}: ${upload.state}`;
  part("verdict-words").textContent = upload.words;
  part("faults").replaceChildren(...faultsOf(upload).childNodes);
  part("summary").replaceChildren(...summaryOf(upload.manifest));
}

function summaryOf(manifest) {
  if (!manifest) return [];
  const [total, trainable] = [manifest.parameters_total, manifest.parameters_trainable].map(
    (count) => count.toLocaleString("en"),
  );
  const rows = [
    ["Parameters", `${total} (${trainable} trainable)`],
    ["A position", `${manifest.ms_per_evaluation.toFixed(2)} ms on one core`],
    ["Plays with", `${manifest.tuning.runtime} in batches of ${manifest.tuning.batch_size}`],
    ["Written by", `Keras ${manifest.keras_version}`],
    ["SHA-256", manifest.sha256],
  ];
  if (manifest.memory_bytes) rows.push(["Memory", `${Math.round(manifest.memory_bytes / 1e6)} MB`]);
  if (manifest.left_out) rows.push(["Left out", manifest.left_out]);
  if (manifest.warning) rows.push(["Warning", manifest.warning]);
  return rows.map(([name, value]) => {
    const pair = document.createElement("div");
    pair.append(element("dt", name), element("dd", value));
    return pair;
  });
}

// XMLHttpRequest, since fetch does not tell how much is sent.
function send(file, message) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "api/uploads");
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    request.setRequestHeader("X-Message", encodeURIComponent(message));
    request.upload.addEventListener("progress", (event) => busy("Sending", event.loaded / event.total));
    request.addEventListener("error", () => reject(new Problem(0, "The connection broke.", 3)));
    request.addEventListener("load", () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* said by its status */ }
      if (request.status === 202) resolve(answer);
      else {
        const text = answer.problem ?? `The server answers with status ${request.status}.`;
        reject(new Problem(request.status, text, Number(request.getResponseHeader("Retry-After") ?? 3)));
      }
    });
    request.send(file);
  });
}

// No answer, and those that may pass: also a proxy's for a server that restarts.
const PASSING = new Set([0, 408, 429, 502, 503, 504]);

async function handIn(file, message) {
  for (let attempt = 0; ; attempt++) {
    try {
      const { max_bytes: most } = await showLeague();
      if (file.size > most) {
        throw new Problem(413, `The file has ${file.size} bytes: at most ${most} are allowed.`);
      }
      return await send(file, message);
    } catch (problem) {
      if (!PASSING.has(problem.status) || attempt === 5) throw problem;
      say(`${problem.message} This page sends again.`);
      await pause(problem.retryAfter);
      say("");
    }
  }
}

part("upload").addEventListener("submit", async (event) => {
  event.preventDefault();
  say("");
  part("verdict").hidden = true;
  busy("Sending", 0);
  try {
    const [file, message] = ["file", "message"].map((id) => document.getElementById(id));
    const upload = await handIn(file.files[0], message.value);
    message.value = "";
    await follow(upload);
  } catch (problem) {
    say(problem.message);
  } finally {
    busy("");
  }
});

part("earlier").addEventListener("click", async () => {
  part("earlier").hidden = true; // until the answer is there
  try {
    await showFiles(part("earlier").dataset.path);
  } catch (problem) {
    part("earlier").hidden = false;
    say(problem.message);
  }
});

// Shows the challenges, until all are played.
async function followChallenges() {
  for (;;) {
    try {
      const { opponents, challenges } = await (await ask("api/challenges")).json();
      showOpponents(opponents);
      part("matches").replaceChildren(...challenges.map(matchRowOf));
      part("challenged").hidden = !challenges.length;
      if (!challenges.some(({ state }) => state === "waiting" || state === "running")) return;
      await pause(5);
    } catch (problem) {
      if (problem.status === 401) return;
      await pause(problem.retryAfter ?? 3);
    }
  }
}

function showOpponents(opponents) {
  const select = document.getElementById("opponent");
  if (select.children.length) return; // it may be open
  select.append(...Object.entries(opponents).map(([value, label]) => new Option(label, value)));
}

function matchRowOf(match) {
  const row = document.createElement("tr");
  const result = element("td", `${match.words} `, "words");
  if (match.state === "played") {
    const games = element("a", "Games");
    games.href = `challenge#${match.id}`;
    result.append(games);
  }
  const when = match.asked_at.slice(0, 16).replace("T", " ");
  row.append(element("td", when, "when"), element("td", match.opponent, "file"), result);
  return row;
}

part("challenge").addEventListener("submit", async (event) => {
  event.preventDefault();
  say("");
  try {
    await ask(`api/challenges/${document.getElementById("opponent").value}`, "POST");
    await followChallenges();
  } catch (problem) {
    say(problem.message);
  }
});

begin("student", enter);

"use strict";

// What both pages share: the token of this tab, and questions to the server.
const TOKEN = "token";
const part = (name) => document.querySelector(`[data-part="${name}"]`);
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

class Problem extends Error {
  constructor(status, text, retryAfter) {
    super(text);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

function headers() {
  return { Authorization: `Bearer ${sessionStorage.getItem(TOKEN) ?? ""}` };
}

async function ask(path, method = "GET") {
  let answer;
  if (/[^\x21-\x7e]/.test(sessionStorage.getItem(TOKEN) ?? "")) {
    throw new Problem(401, "This is not a token: copy it once more.");
  }
  try {
    answer = await fetch(path, { method, headers: headers(), credentials: "omit" });
  } catch {
    throw new Problem(0, "The server does not answer.", 3);
  }
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

async function problemOf(answer) {
  const said = await answer.json().catch(() => ({}));
  const text = said.problem ?? `The server answers with status ${answer.status}.`;
  return new Problem(answer.status, text, Number(answer.headers.get("Retry-After") ?? 3));
}

async function showLeague() {
  const league = await (await ask("api/league")).json();
  let until = "the last file counts";
  if (league.is_over) until = "the last deadline has passed";
  else if (league.deadline) until = `files count until ${league.deadline}`;
  part("facts").textContent = `${league.title} · ${until}`;
  return league;
}

function say(problem) {
  part("problem").textContent = problem;
  part("problem").hidden = !problem;
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Signs in with the token of the form or of this tab; `enter` gets whose it is.
async function signIn(role, enter) {
  try {
    const me = await (await ask("api/me")).json();
    if (me.role !== role) throw new Problem(403, `This is not a ${role}'s token.`);
    say("");
    part("sign-in").hidden = true;
    part("signed-in").hidden = false;
    await enter(me);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status === 401 || problem.status === 403) signOut();
    say(problem.message);
  }
}

function signOut() {
  sessionStorage.removeItem(TOKEN);
  part("sign-in").hidden = false;
  part("signed-in").hidden = true;
}

function begin(role, enter) {
  showLeague().catch((problem) => say(problem.message));
  part("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    const field = document.getElementById("token");
    sessionStorage.setItem(TOKEN, field.value.trim());
    field.value = "";
    signIn(role, enter);
  });
  part("sign-out").addEventListener("click", () => {
    signOut();
    location.reload();
  });
  if (sessionStorage.getItem(TOKEN)) signIn(role, enter);
}

"use strict";

// Questions to the server. A signal gives an answer up that nobody wants any more; the connection
// is then closed, and the server stops thinking.

class Problem extends Error {}

// Asks with a file, or with an object as JSON.
async function ask(what, body, signal) {
  const content = body instanceof Blob ? body : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(`api/${what}`, { method: "POST", body: content, signal, credentials: "omit" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem("The server does not answer. Is it still running?");
  }
  const said = await answer.json();
  signal?.throwIfAborted();
  if (!answer.ok) throw new Problem(said.problem);
  return said;
}

"use strict";

// The games of a challenge, which the server gives to its student only: with the tab's token.
async function askForMeeting(challenge) {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem("token") ?? ""}` };
  try {
    const answer = await fetch(`api/challenges/${challenge}`, { headers, credentials: "omit" });
    const said = await answer.json();
    if (answer.ok) showMeeting(said, challenge);
    else if (answer.status === 401) report("Open this page by its link on your page, in the same tab.");
    else report(said.problem);
  } catch {
    report("The server does not answer.");
  }
}

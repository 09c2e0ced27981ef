// The operators' page: renews itself, and sends what the buttons say with the key that was typed.

import { renew } from "./navigate.js";

document.documentElement.classList.add("live");

const HURRY = 15_000; // milliseconds after a change, during which its effects are looked for every half second
let hurried = 0;

const key = document.getElementById("key");
const outcome = document.getElementById("outcome");
const announcement = document.getElementById("announcement");
const sure = document.getElementById("sure");

function tell(text, good) {
  outcome.hidden = good;
  outcome.textContent = good ? "" : text;
  announcement.textContent = good ? text : "";
}

document.getElementById("keys").addEventListener("submit", (event) => event.preventDefault());

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button[data-path]");
  if (!button) return;
  const { method, path, ask: question, done } = button.dataset;
  outcome.hidden = true;
  if (!key.value) {
    tell("Type an API key first: changing something needs one.", false);
    return key.focus();
  }
  if (question && !(await confirmed(question))) return;
  try {
    const answer = await fetch(path, { method, headers: { "X-API-Key": key.value } });
    if (answer.ok) {
      tell(done, true);
      hurried = Date.now() + HURRY;
    } else if (answer.status === 401) tell("This key may not change anything here.", false);
    else tell(`That did not work: ${(await answer.json()).detail}.`, false);
  } catch {
    tell("The service could not be reached; nothing was changed.", false);
  }
  follow();
});

function confirmed(question) {
  document.getElementById("sure-question").textContent = question;
  sure.returnValue = "";
  sure.showModal();
  return new Promise((answered) => sure.addEventListener("close", () => answered(sure.returnValue === "yes"), { once: true }));
}

// As often as the page says, and not while nobody looks.
function next() {
  return Date.now() < hurried ? 500 : 1000 * Number(document.getElementById("results").dataset.pace);
}

let turn = setTimeout(follow, next());

async function follow() {
  clearTimeout(turn);
  if (!document.hidden) await renew(key.value);
  turn = setTimeout(follow, next());
}

document.addEventListener("visibilitychange", () => document.hidden || follow());

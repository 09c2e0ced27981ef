// The editors' page: sends decisions, and shows what they change.

import { renew } from "./navigate.js";
import { Edits, Refused, described } from "./edits.js";
import { about, relate } from "./relate.js";

document.documentElement.classList.add("live");

const SHOWN = 50; // decisions in the list
const PATIENCE = 5_000; // milliseconds until all processes of the service must know a decision
const PAUSE = 250;

const part = (id) => document.getElementById(id);
const key = part("key");
const outcome = part("outcome");
const announcement = part("announcement");
const undo = part("undo");
const menu = part("menu");
const edits = new Edits(part("results").dataset.corpus, () => key.value);
let last = null; // what undoes the last decision

part("keys").addEventListener("submit", (event) => event.preventDefault());
key.addEventListener("change", () => key.value && attempt(list));

function tell(text) {
  outcome.hidden = true;
  announcement.textContent = text;
}

function complain(text) {
  announcement.textContent = "";
  undo.hidden = true;
  outcome.textContent = text;
  outcome.hidden = false;
}

// A description may end a sentence itself.
const sentence = (text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

// Does something that needs the key; says what was wrong.
async function attempt(action) {
  if (!key.value) {
    complain("Type an API key first: deciding something needs one.");
    key.focus();
    return false;
  }
  try {
    await action();
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    complain(error.message);
    return false;
  }
}

async function decide(change, remove = []) {
  return attempt(async () => {
    const answer = await edits.decide(change, remove);
    await decided(answer, sentence(change.map(described).join("; ") || "Undone"));
  });
}

// What ends with a full stop of its own, as descriptions do, needs no other.
async function decided(answer, text) {
  last = { edits: answer.removed, remove: answer.added.map((edit) => edit.id) };
  undo.hidden = false;
  tell(answer.needs_run ? `${text} It takes effect with the next run.` : text);
  await Promise.all([list(), follow(answer.revision)]);
}

// Another process of the service may answer, and learns of a decision a moment later.
async function follow(revision) {
  const until = Date.now() + PATIENCE;
  do {
    await renew();
    if (Number(part("results").dataset.revision) >= revision) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  } while (Date.now() < until);
}

undo.addEventListener("click", () => last && decide(last.edits, last.remove).then(() => key.value && announcement.focus?.()));

// Proposals

// What a button or a key decides; `to` is the tag that a staged one stands for.
function chosen(card, decision, to) {
  const { tag, other } = card.dataset;
  if (card.dataset.kind === "staged") {
    const waiting = other ?? tag;
    const same = to && { kind: "synonym", tag: waiting, to };
    return { admit: { kind: "admit", tag: waiting }, same, ban: { kind: "ban", tag: waiting }, later: { kind: "later", tags: other ? [tag, other] : [tag] } }[decision];
  }
  const accepted = { nested: "broader", "head-word": "broader", implied: "implies" }[card.dataset.kind] ?? "synonym";
  if (!other) return { same: { kind: "ban", tag }, different: { kind: "keep", tag }, later: { kind: "later", tags: [tag] } }[decision];
  return {
    same: { kind: accepted, tag: other, to: tag },
    different: { kind: "distinct", tags: [tag, other] },
    later: { kind: "later", tags: [tag, other] },
  }[decision];
}

async function answer(card, decision, to = card.querySelector("[data-to]")?.dataset.to) {
  const change = chosen(card, decision, to);
  if (!change) return;
  const next = card.nextElementSibling ?? card.previousElementSibling;
  const button = next?.querySelector(`[data-decide="${decision}"]`);
  if (await decide([change])) (button && part(button.id) ? part(button.id) : part("proposals-title")).focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-decide]");
  if (button) return answer(button.closest(".proposal"), button.dataset.decide, button.dataset.to);
  const tag = event.target.closest?.("[data-menu]");
  if (tag) open(tag.dataset.menu);
});

// s, d and l decide about the proposal that has the focus; a and b about a new tag.
document.addEventListener("keydown", (event) => {
  const card = event.target.closest?.(".proposal");
  const decision = { s: "same", d: "different", l: "later", a: "admit", b: "ban" }[event.key];
  if (!card || !decision || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  answer(card, decision);
});

// Concepts

document.addEventListener("submit", (event) => {
  const form = event.target.closest(".rename");
  if (!form) return;
  event.preventDefault();
  const label = form.querySelector("input").value.trim();
  if (label) decide([{ kind: "label", tag: form.dataset.anchor, label }]);
});

function open(tag) {
  const here = document.querySelector(".rename").dataset.anchor;
  part("menu-title").textContent = tag;
  part("to").replaceChildren(
    ...[...document.querySelectorAll(".targets li")]
      .filter((target) => target.dataset.anchor !== here)
      .map((target) => new Option(target.dataset.name, target.dataset.anchor)),
  );
  menu.querySelector("[value=move]").disabled = !part("to").options.length;
  menu.dataset.tag = tag;
  menu.returnValue = "";
  menu.showModal();
}

menu.addEventListener("close", () => {
  const { tag } = menu.dataset;
  if (menu.returnValue === "move") move(tag, part("to").value);
  if (menu.returnValue === "ban") decide([{ kind: "ban", tag }]);
  if (menu.returnValue === "relate") about(tag);
});

function move(tag, to) {
  return decide([{ kind: "move", tag, to }]);
}

let dragged = null;

document.addEventListener("dragstart", (event) => {
  const item = event.target.closest?.(".members li");
  if (!item) return;
  dragged = item.dataset.tag;
  item.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged);
});

document.addEventListener("dragend", () => {
  dragged = null;
  for (const item of document.querySelectorAll(".dragged, .over")) item.classList.remove("dragged", "over");
});

function target(event) {
  const item = dragged !== null && event.target.closest?.(".targets li");
  return item && item.dataset.anchor !== document.querySelector(".rename").dataset.anchor ? item : null;
}

document.addEventListener("dragover", (event) => {
  const item = target(event);
  for (const other of document.querySelectorAll(".over")) if (other !== item) other.classList.remove("over");
  if (!item) return;
  event.preventDefault();
  item.classList.add("over");
});

document.addEventListener("drop", (event) => {
  const item = target(event);
  if (!item) return;
  event.preventDefault();
  move(dragged, item.dataset.anchor);
});

relate(edits, { decide, attempt });

// Decisions

async function list() {
  const answer = await edits.list(SHOWN);
  part("decisions").replaceChildren(...answer.edits.map(row));
  part("decisions-note").textContent = answer.total
    ? `${answer.total} in all${answer.total > SHOWN ? `, the newest ${SHOWN} here` : ""}; ${answer.inactive} without effect.`
    : "Nothing has been decided yet.";
  outcome.hidden = true;
}

function row(edit) {
  const item = document.createElement("li");
  const text = document.createElement("span");
  text.textContent = described(edit);
  const state = document.createElement("small");
  state.className = "quiet";
  state.textContent = [
    edit.state === "waiting" ? "with the next run" : edit.state === "inactive" ? `no effect: ${edit.why}` : "",
    edit.origin === "file" ? `corpora file, line ${edit.line}` : `${edit.by}, ${new Date(edit.at).toLocaleString()}`,
  ].filter(Boolean).join("; ");
  item.append(text, state);
  if (edit.origin === "api") {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = "Undo";
    button.setAttribute("aria-label", `Undo: ${described(edit)}`);
    button.addEventListener("click", () => attempt(async () => decided(await edits.remove(edit.id), sentence(`Undone: ${described(edit)}`))));
    item.append(button);
  }
  return item;
}

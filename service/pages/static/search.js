// The search page: autocomplete, sliders that act at once, and addresses that follow.

import { Combobox } from "./combobox.js";
import { show } from "./navigate.js";

const form = document.getElementById("search");
const box = document.getElementById("q");
const dials = { groups: form.elements.groups, specificity: form.elements.specificity };
const announcement = document.getElementById("announcement");

document.documentElement.classList.add("live");

function values(name) {
  return [...form.querySelectorAll(`input[name=${name}]`)].map((input) => input.value);
}

const chosen = () => values("tag");
const excluded = () => values("exclude");
const titleWords = () => values("word"); // no tags, but in titles

// The address of the form as it stands, written as the page writes its links.
function address({ tags = chosen(), without = excluded(), inTitles = titleWords(), text = "", typing = false } = {}) {
  const query = new URLSearchParams({ corpus: form.dataset.corpus });
  if (text) query.append("q", text);
  for (const tag of new Set(tags)) query.append("tag", tag);
  for (const tag of new Set(without)) query.append("exclude", tag);
  for (const word of new Set(inTitles)) query.append("word", word);
  for (const [name, dial] of Object.entries(dials)) if (dial.value !== dial.dataset.usual) query.append(name, dial.value);
  for (const name of ["last", "sort"]) for (const value of values(name)) query.append(name, value);
  if (tags.length && values("narrower").length) query.append("narrower", "1");
  if (text && typing) query.append("typing", "1");
  return `${form.getAttribute("action")}?${query}`;
}

// Results appear while one types: after a pause, by one request, which the next key cancels. Whatever is typed makes one
// entry in the history, so that "back" leads to what was there before the first key.
const PAUSE = 250; // milliseconds
let timer = 0;
let words = { entered: false };

box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(look, PAUSE);
});

async function look() {
  const mine = words;
  const shown = await show(address({ text: box.value.trim(), typing: true }), { mode: mine.entered ? "replace" : "push" });
  if (shown) mine.entered = true;
}

// What is chosen or sent takes the place of what was typed for it.
function settle(where) {
  clearTimeout(timer);
  const mode = words.entered ? "replace" : "push";
  words = { entered: false };
  show(where, { mode });
}

new Combobox(box, document.getElementById("options"), form.dataset.corpus, {
  choose: (tag) => settle(address({ tags: [...chosen(), tag] })),
  exclude: (tag) => settle(address({ without: [...excluded(), tag] })),
  find: (word) => settle(address({ inTitles: [...titleWords(), word] })),
  erase: () => {
    if (titleWords().length) settle(address({ inTitles: titleWords().slice(0, -1) }));
    else if (excluded().length) settle(address({ without: excluded().slice(0, -1) }));
    else if (chosen().length) settle(address({ tags: chosen().slice(0, -1) }));
  },
  announce: (text) => (announcement.textContent = text),
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  settle(address({ text: box.value.trim() }));
});

// A drag makes one entry in the history, however many steps it has, so that "back" undoes it whole. The entry is made by
// the first step whose answer came; the answers of steps before it were no longer wanted.
let drag = { entered: false };
for (const [name, dial] of Object.entries(dials)) {
  dial.addEventListener("input", async () => {
    form.querySelector(`output[for=${name}]`).textContent = dial.value;
    const mine = drag;
    clearTimeout(timer);
    if (await show(address({ text: box.value.trim(), typing: true }), { mode: mine.entered ? "replace" : "push" })) mine.entered = true;
  });
  dial.addEventListener("change", () => (drag = { entered: false }));
}

// The form follows what is shown: after "back", and when typed words have become tags.
document.addEventListener("shown", ({ detail: fresh }) => {
  const source = fresh.getElementById("search");
  for (const [name, dial] of Object.entries(dials)) {
    dial.disabled = source.elements[name].disabled;
    dial.value = source.elements[name].value;
    form.querySelector(`output[for=${name}]`).textContent = dial.value;
  }
  // While one types, the box has more than the page knows. Otherwise it is empty, unless nothing of it is a tag.
  const typing = document.activeElement === box && new URLSearchParams(location.search).has("typing");
  if (!typing) {
    box.value = source.elements.q.value;
    words = { entered: false };
  }
  box.placeholder = source.elements.q.placeholder;
});

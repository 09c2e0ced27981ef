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
const words = () => values("word"); // no tags, but in titles

// The address of the form as it stands, written as the page writes its links.
function address({ tags = chosen(), without = excluded(), inTitles = words(), text = "" } = {}) {
  const query = new URLSearchParams({ corpus: form.dataset.corpus });
  for (const tag of new Set(tags)) query.append("tag", tag);
  for (const tag of new Set(without)) query.append("exclude", tag);
  for (const word of new Set(inTitles)) query.append("word", word);
  if (text) query.append("q", text);
  for (const [name, dial] of Object.entries(dials)) if (dial.value !== dial.dataset.usual) query.append(name, dial.value);
  return `${form.getAttribute("action")}?${query}`;
}

new Combobox(box, document.getElementById("options"), form.dataset.corpus, {
  choose: (tag) => show(address({ tags: [...chosen(), tag] })),
  exclude: (tag) => show(address({ without: [...excluded(), tag] })),
  find: (word) => show(address({ inTitles: [...words(), word] })),
  erase: () => {
    if (words().length) show(address({ inTitles: words().slice(0, -1) }));
    else if (excluded().length) show(address({ without: excluded().slice(0, -1) }));
    else if (chosen().length) show(address({ tags: chosen().slice(0, -1) }));
  },
  announce: (text) => (announcement.textContent = text),
});

let typed = false; // whether what is in the box was asked about

form.addEventListener("submit", (event) => {
  event.preventDefault();
  typed = true;
  show(address({ text: box.value.trim() }));
});

// A drag makes one entry in the history, however many steps it has, so that "back" undoes it whole. The entry is made by
// the first step whose answer came; the answers of steps before it were no longer wanted.
let drag = { entered: false };
for (const [name, dial] of Object.entries(dials)) {
  dial.addEventListener("input", async () => {
    form.querySelector(`output[for=${name}]`).textContent = dial.value;
    const mine = drag;
    if (await show(address(), { mode: mine.entered ? "replace" : "push" })) mine.entered = true;
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
  if (typed) box.value = source.elements.q.value; // empty, unless nothing of it is a tag
  typed = false;
  box.placeholder = source.elements.q.placeholder;
});

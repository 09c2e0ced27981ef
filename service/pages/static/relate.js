// What editors say about a single tag: a broader or an implied tag, what it is for, how it is called elsewhere.

const form = document.getElementById("relate");
const fields = form.elements;
const report = document.getElementById("relate-report");
const options = document.getElementById("relate-tags");

// What is asked for, by the kind of the edit.
function arrange() {
  for (const part of form.querySelectorAll("[data-for]")) {
    const shown = part.dataset.for.split(" ").includes(fields.kind.value);
    part.hidden = !shown;
    for (const field of part.querySelectorAll("input, textarea")) field.disabled = !shown;
  }
  report.replaceChildren();
}

// The decision as it is typed; fields that are hidden are disabled, and left out.
function edit() {
  return Object.fromEntries(new FormData(form).entries().map(([name, value]) => [name, value.trim()]));
}

async function suggest(text) {
  if (!text.trim()) return;
  const query = new URLSearchParams({ prefix: text.trim().slice(0, 100), limit: 8 });
  const answer = await fetch(`/v1/corpora/${encodeURIComponent(form.dataset.corpus)}/tags?${query}`).catch(() => null);
  if (!answer?.ok) return; // typing works without suggestions
  options.replaceChildren(...(await answer.json()).tags.map(({ tag, count }) => new Option(`${count} documents`, tag)));
}

function line(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

function counted(number, noun) {
  return `${number || "No"} ${noun}${number === 1 ? "" : "s"}`;
}

function shown(found) {
  const lines = found.documents.map(({ tag, before, after }) => `“${tag}”: ${counted(before ?? 0, "document").toLowerCase()}, then ${after ?? 0}`);
  lines.push(`${counted(found.tags_moved, "tag")} would move, ${counted(found.concepts_changed, "concept").toLowerCase()} would change.`);
  report.replaceChildren(...lines.map(line));
}

// decide(edits) makes a decision; attempt(action) does what needs the key, and says what was wrong.
export function relate(edits, { decide, attempt }) {
  form.hidden = false;
  fields.kind.addEventListener("change", arrange);
  for (const name of ["tag", "to"]) fields[name].addEventListener("input", () => suggest(fields[name].value));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (event.submitter?.value !== "try") {
      if (await decide([edit()])) report.replaceChildren();
      return;
    }
    report.replaceChildren(line("Trying …"));
    if (!(await attempt(async () => shown(await edits.attempt([edit()]))))) report.replaceChildren();
  });
  arrange();
}

// About another tag.
export function about(tag) {
  fields.tag.value = tag;
  fields.kind.focus();
}

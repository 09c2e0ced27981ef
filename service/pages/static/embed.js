// The builder of an embedded cloud: the lines and the preview follow every choice.

const form = document.getElementById("builder");
const preview = document.getElementById("preview");
const lines = document.getElementById("lines");
const origin = document.getElementById("origin").textContent;
const ATTRIBUTES = ["corpus", "tags", "groups", "documents", "href"];
const USUAL = { groups: "9", documents: "0" };

function chosen() {
  const values = Object.fromEntries(new FormData(form));
  if (values.whole) values.tags = "";
  return ATTRIBUTES.map((name) => [name, (values[name] ?? "").trim()]).filter(([name, value]) => value && value !== USUAL[name]);
}

function escaped(value) {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function show() {
  const attributes = chosen();
  for (const name of ATTRIBUTES) {
    const found = attributes.find(([other]) => other === name);
    if (!found) preview.removeAttribute(name);
    else if (preview.getAttribute(name) !== found[1]) preview.setAttribute(name, found[1]);
  }
  const written = attributes.map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
  lines.textContent = `<script type="module" src="${origin}/static/cotag-cloud.js"></script>\n<cotag-cloud${written}></cotag-cloud>`;
  form.elements.tags.disabled = form.elements.whole.checked;
}

let waiting = 0;
form.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(show, 250); // typing asks once
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
// The preview leaves the choice of a tag to the form.
preview.addEventListener("cotag-choose", (event) => {
  event.preventDefault();
  const { tags } = form.elements;
  form.elements.whole.checked = false;
  tags.value = [...tags.value.split(",").map((tag) => tag.trim()).filter(Boolean), event.detail.tag].join(", ");
  show();
});

const copy = document.getElementById("copy");
if (navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(lines.textContent);
    document.getElementById("copied").textContent = "Copied";
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 2000);
  });
}

// The tree: a line to drag, a view to zoom and move, the tags of a branch on hover or focus, pictures to save.
// Opening branches and cutting are addresses, which the server draws; only what moves is moved here.

import { show } from "./navigate.js";
import { savePng, saveSvg } from "./saving.js";

document.documentElement.classList.add("live");

const ZOOM = 1.35;
let seen = null; // what part of the drawing is seen, if not all: {x, y, width, height}
let sideways = null; // how far a drawing that does not fit was scrolled
let tree, cuts, k;

function begin() {
  tree = document.getElementById("tree");
  cuts = JSON.parse(tree.dataset.cuts).map(([k, x, lost, cx, cy, criterion]) => ({ k, x, lost, cx, cy, criterion }));
  k = Number(tree.dataset.k);
  look(seen);
  const canvas = tree.parentElement;
  // Where the drawing does not fit, the line and the names beside it are what one wants first.
  const line = cuts.length ? at(k).x * (canvas.scrollWidth / whole().width) : 0;
  canvas.scrollLeft = sideways ?? line - 40; // half of the flag below the line is to the left of it
}

begin();
document.addEventListener("scroll", (event) => event.target.classList?.contains("canvas") && (sideways = event.target.scrollLeft), true);
document.addEventListener("shown", begin);

// ---- the cut ----

function at(wanted) {
  return cuts.reduce((best, cut) => (Math.abs(cut.k - wanted) < Math.abs(best.k - wanted) ? cut : best));
}

// Moves the line and says what it means; the address follows when it has come to rest.
function cutInto(cut) {
  k = cut.k;
  const line = document.getElementById("cut");
  line.setAttribute("transform", `translate(${cut.x} 0)`);
  line.setAttribute("aria-valuenow", k);
  line.setAttribute("aria-valuetext", `${k} groups, ${Math.round(100 * cut.lost)} % of the information lost`);
  line.querySelector("text").textContent = `${k} groups`;
  document.getElementById("cut-number").value = k;
  document.getElementById("show-k").textContent = k.toLocaleString("en");
  document.getElementById("show-lost").textContent = `${Math.round(100 * cut.lost)} %`;
  document.getElementById("show-criterion").textContent = `${Math.round(100 * cut.criterion)} %`;
  const mark = document.getElementById("curve-cut");
  mark.setAttribute("transform", `translate(${cut.cx} 0)`);
  mark.querySelector("circle").setAttribute("cy", cut.cy);
  colour();
}

// Neighbouring leaves are of one group unless the merge between them is among the last k − 1.
function colour() {
  const undone = Number(tree.dataset.items) - k;
  let group = 0;
  const groups = [...tree.querySelectorAll(".leaf")].map((leaf) => {
    const gap = Number(leaf.dataset.gap);
    if (gap >= 0 && gap >= undone) group++;
    const divided = Number(leaf.dataset.node) - Number(tree.dataset.items) >= undone;
    const found = leaf.classList.contains("found") ? " found" : "";
    leaf.setAttribute("class", `leaf ${divided ? "divided" : `hue${(5 * group) % 24}`}${found}`);
    return group;
  });
  for (const line of tree.querySelectorAll(".lines path"))
    line.setAttribute("class", Number(line.dataset.merge) < undone ? `hue${(5 * groups[Number(line.dataset.first)]) % 24}` : "above");
}

function rest() {
  const address = new URL(tree.dataset.link, location);
  address.searchParams.set("cut", k);
  show(address.pathname + address.search);
}

// Where the pointer is in the drawing's own measure.
function place(event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(tree.getScreenCTM().inverse());
}

let drag = null;

document.addEventListener("pointerdown", (event) => {
  if (event.button || !tree.contains(event.target)) return;
  if (event.target.closest("#cut")) drag = { what: "cut" };
  else if (seen && !event.target.closest("a")) drag = { what: "view", from: place(event), start: seen };
  if (!drag) return;
  event.preventDefault();
  tree.setPointerCapture(event.pointerId);
  if (drag.what === "cut") document.getElementById("cut").focus({ preventScroll: true });
});

document.addEventListener("pointermove", (event) => {
  if (drag?.what === "cut") {
    const { x } = place(event);
    cutInto(cuts.reduce((best, cut) => (Math.abs(cut.x - x) < Math.abs(best.x - x) ? cut : best)));
  } else if (drag?.what === "view") {
    const now = place(event);
    look({ ...seen, x: seen.x + drag.from.x - now.x, y: seen.y + drag.from.y - now.y });
  }
});

for (const end of ["pointerup", "pointercancel"])
  document.addEventListener(end, () => {
    if (drag?.what === "cut" && k !== Number(tree.dataset.k)) rest();
    drag = null;
  });

const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
let resting;

document.addEventListener("keydown", (event) => {
  if (event.target.id === "cut") {
    const here = cuts.indexOf(at(k));
    let next;
    if (event.key in STEPS) next = here + STEPS[event.key];
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = cuts.length - 1;
    else return;
    event.preventDefault();
    cutInto(cuts[Math.min(Math.max(next, 0), cuts.length - 1)]);
    clearTimeout(resting);
    resting = setTimeout(rest, 350);
  } else if (event.target.classList.contains("canvas")) {
    const moves = { "+": () => zoom(ZOOM), "=": () => zoom(ZOOM), "-": () => zoom(1 / ZOOM), 0: () => look(null) };
    const step = { ArrowLeft: [-40, 0], ArrowRight: [40, 0], ArrowUp: [0, -40], ArrowDown: [0, 40] }[event.key];
    if (moves[event.key]) moves[event.key]();
    else if (step && seen) look({ ...seen, x: seen.x + step[0], y: seen.y + step[1] });
    else return;
    event.preventDefault();
  }
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".cutting, .finding")) return;
  event.preventDefault();
  show(`${event.target.getAttribute("action")}?${new URLSearchParams(new FormData(event.target))}`);
});

// ---- the view ----

function whole() {
  return { x: 0, y: 0, width: Number(tree.getAttribute("width")), height: Number(tree.getAttribute("height")) };
}

function look(part) {
  const all = whole();
  if (part && part.width < all.width * 0.999) {
    const height = (part.width * all.height) / all.width;
    const x = Math.min(Math.max(part.x, 0), all.width - part.width);
    const y = Math.min(Math.max(part.y, 0), all.height - height);
    seen = { x, y, width: part.width, height };
  } else seen = null;
  const { x, y, width, height } = seen ?? all;
  tree.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  tree.classList.toggle("zoomed", Boolean(seen));
}

function zoom(factor, centre) {
  const now = seen ?? whole();
  const to = centre ?? { x: now.x + now.width, y: now.y + now.height / 2 }; // the names stay in sight
  const width = Math.max(now.width / factor, whole().width / 12);
  const share = width / now.width;
  look({ x: to.x - (to.x - now.x) * share, y: to.y - (to.y - now.y) * share, width });
}

// With Ctrl, as in maps: without it the wheel scrolls the page.
document.addEventListener(
  "wheel",
  (event) => {
    if (!event.ctrlKey || !tree.contains(event.target)) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, place(event));
  },
  { passive: false },
);

// ---- members, buttons ----

function members(leaf) {
  const { label, size, groups } = leaf.dataset;
  const tags = JSON.parse(leaf.dataset.members);
  const heading = document.createElement("h2");
  heading.id = "members-title";
  heading.textContent = label;
  const about = document.createElement("p");
  about.className = "quiet";
  about.textContent = Number(size) === 1 ? "One tag" : `${size} tags` + (Number(groups) > 1 ? ` in ${groups} groups at this cut` : "");
  const list = document.createElement("ul");
  list.className = "members";
  list.append(
    ...tags.map((tag) => {
      const item = document.createElement("li");
      item.textContent = tag;
      return item;
    }),
  );
  if (Number(size) > tags.length) list.append(`and ${Number(size) - tags.length} more`);
  document.getElementById("members").replaceChildren(heading, about, list);
}

for (const kind of ["pointerover", "focusin"])
  document.addEventListener(kind, (event) => {
    const leaf = event.target.closest?.(".leaf");
    if (leaf && !drag) members(leaf);
  });

document.addEventListener("click", (event) => {
  const id = event.target.id;
  if (id === "zoom-in") zoom(ZOOM);
  else if (id === "zoom-out") zoom(1 / ZOOM);
  else if (id === "zoom-all") look(null);
  else if (id === "save-png") savePng(tree, document.getElementById("save-svg").download.replace(".svg", ".png"));
  else if (id === "save-svg") {
    event.preventDefault();
    saveSvg(tree, event.target.download);
  }
});

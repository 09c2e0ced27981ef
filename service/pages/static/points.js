// The map of all documents: WebGL draws the points, HTML the names and the card. Without WebGL the drawing of the discs stays.

const sheet = document.getElementById("sheet");
const light = document.getElementById("light");
const announcement = document.getElementById("announcement");
const { corpus } = sheet.dataset;
const NONE = 65535;
const GONE = 65534; // a document that was deleted since the run: nothing is drawn or met there
const WIDEST = 0.94; // of the whole map in the window
const CLOSEST = 400;
const REACH = 14; // pixels around the pointer in which a point is met

const canvas = document.createElement("canvas");
const gl = canvas.getContext("webgl", { antialias: false, alpha: true, premultipliedAlpha: false, preserveDrawingBuffer: true });
const ask = (what, query = {}) => fetch(`/map/${what}?${new URLSearchParams({ corpus, ...query })}`);

const view = { x: 0.5, y: 0.5, zoom: WIDEST };
let points = null; // { x, y, concept: Uint16Array }
let lit = null; // Uint8Array: 1 for what the search found
let plan = 0;

if (gl) begin();

async function begin() {
  const answer = await ask("points");
  const all = answer.ok ? new Uint16Array(await answer.arrayBuffer()) : [];
  const count = all.length / 3;
  if (!count) return;
  points = { count, x: all.subarray(0, count), y: all.subarray(count, 2 * count), concept: all.subarray(2 * count) };
  sheet.querySelector("svg").remove();
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${count.toLocaleString("en")} documents as points. Arrow keys move, plus and minus zoom; the contents list the concepts.`);
  sheet.append(canvas, ...names.map((each) => each.label), card, buttons());
  upload();
  read(sheet.dataset.at);
  if (light.value) await search();
  new ResizeObserver(redraw).observe(sheet);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (upload(), redraw()));
}

// Drawing

const VERTEX = `attribute vec2 place; attribute vec4 colour; uniform vec4 frame; uniform float size; varying vec4 shade;
void main() { vec2 at = (place - frame.xy) * frame.zw; gl_Position = vec4(at.x, -at.y, 0.0, 1.0); gl_PointSize = size * (colour.a > 0.9 ? 1.6 : 1.0); shade = colour; }`;
const FRAGMENT = `precision mediump float; varying vec4 shade;
void main() { float far = length(gl_PointCoord - 0.5); if (far > 0.5) discard; gl_FragColor = vec4(shade.rgb, shade.a * smoothstep(0.5, 0.35, far)); }`;

let frame;
let size;
let placesBuffer;
let coloursBuffer;

function shader(kind, text) {
  const made = gl.createShader(kind);
  gl.shaderSource(made, text);
  gl.compileShader(made);
  return made;
}

function upload() {
  if (!frame) {
    const program = gl.createProgram();
    gl.attachShader(program, shader(gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, shader(gl.FRAGMENT_SHADER, FRAGMENT));
    gl.bindAttribLocation(program, 0, "place");
    gl.bindAttribLocation(program, 1, "colour");
    gl.linkProgram(program);
    gl.useProgram(program);
    frame = gl.getUniformLocation(program, "frame");
    size = gl.getUniformLocation(program, "size");
    gl.bindBuffer(gl.ARRAY_BUFFER, (placesBuffer = gl.createBuffer()));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.UNSIGNED_SHORT, true, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, (coloursBuffer = gl.createBuffer()));
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }
  const paints = paintsOfConcepts();
  const colours = new Uint32Array(points.count); // one write a point
  const places = new Uint16Array(2 * points.count);
  drawingOrder().forEach((point, place) => {
    const concept = points.concept[point];
    const opaque = concept === GONE ? 0 : !lit ? 205 : lit[point] ? 255 : 28;
    colours[place] = ((opaque << 24) | paints[concept]) >>> 0;
    places[2 * place] = points.x[point];
    places[2 * place + 1] = points.y[point];
  });
  gl.bindBuffer(gl.ARRAY_BUFFER, placesBuffer);
  gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
  gl.bindBuffer(gl.ARRAY_BUFFER, coloursBuffer);
  gl.bufferData(gl.ARRAY_BUFFER, colours, gl.DYNAMIC_DRAW);
}

// The points in the order of chance, so that the first of them are a fair sample; what a search found comes before all.
function drawingOrder() {
  const order = Uint32Array.from({ length: points.count }, (_, each) => each);
  let chance = 1;
  for (let last = points.count - 1; last > 0; last--) {
    chance = (Math.imul(chance, 1664525) + 1013904223) >>> 0;
    const other = chance % (last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  if (!lit) return order;
  const found = order.filter((point) => lit[point]);
  const others = order.filter((point) => !lit[point]);
  order.set(found);
  order.set(others, found.length);
  return order;
}

// The colours of the concepts as the style sheet has them, by id: blue, green and red in one number. The browser converts
// them from OKLCH where it draws.
function paintsOfConcepts() {
  const items = [...document.querySelectorAll(".contents li[data-id]")];
  const pen = Object.assign(document.createElement("canvas"), { width: items.length, height: 1 }).getContext("2d");
  items.forEach((item, place) => {
    pen.fillStyle = getComputedStyle(item).getPropertyValue("--hue");
    pen.fillRect(place, 0, 1, 1);
  });
  const drawn = items.length ? pen.getImageData(0, 0, items.length, 1).data : [];
  const paints = new Uint32Array(NONE + 1).fill(0x978f8a);
  items.forEach((item, place) => (paints[+item.dataset.id] = (drawn[4 * place + 2] << 16) | (drawn[4 * place + 1] << 8) | drawn[4 * place]));
  return paints;
}

// While the map moves, as many points are drawn as the machine can draw at once; all, as soon as it rests.
const SLOW = 50; // milliseconds a frame
const FAST = 20;
const FEWEST = 10000;
let sample = Infinity;
let last = 0; // when the last frame of a movement was drawn
let rest = 0;

function moving() {
  clearTimeout(rest);
  rest = setTimeout(() => ((rest = last = 0), redraw()), 180);
}

function pace(now) {
  if (!rest) return points.count;
  const took = last ? now - last : FAST;
  last = now;
  if (took > SLOW) sample = Math.max(Math.min(sample, points.count) / 2, FEWEST);
  else if (took < FAST) sample *= 1.5;
  return Math.min(Math.floor(sample), points.count);
}

function redraw() {
  plan ||= requestAnimationFrame(draw);
}

// Pixels of the window for the width of the map.
const scale = () => view.zoom * Math.min(sheet.clientWidth, sheet.clientHeight);

function draw(now) {
  plan = 0;
  const [wide, high] = [sheet.clientWidth, sheet.clientHeight];
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
  }
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.uniform4f(frame, view.x, view.y, (2 * scale()) / wide, (2 * scale()) / high);
  gl.uniform1f(size, ratio * Math.min(Math.max(0.6 * Math.sqrt((scale() * scale()) / points.count), 2), 14));
  gl.drawArrays(gl.POINTS, 0, pace(now));
  place();
}

// Names: those of the largest parts from afar, those of concepts as their discs grow; none covers another.

const names = [];
for (const part of document.querySelectorAll(".contents details")) {
  const items = [...part.querySelectorAll("li[data-x]")].map(({ dataset, textContent }) => ({ name: textContent, x: +dataset.x, y: +dataset.y, radius: +dataset.radius }));
  if (!items.length) continue;
  const mass = items.reduce((sum, each) => sum + each.radius ** 2, 0);
  const middle = (axis) => items.reduce((sum, each) => sum + each[axis] * each.radius ** 2, 0) / mass;
  names.push(named({ name: part.dataset.name, x: middle("x"), y: middle("y"), radius: Math.sqrt(mass), part: true }));
  names.push(...items.map(named));
}
names.sort((one, other) => Boolean(other.part) - Boolean(one.part) || other.radius - one.radius);

function named(about) {
  const label = document.createElement("span");
  label.className = about.part ? "name part" : "name";
  label.textContent = about.name;
  label.setAttribute("aria-hidden", "true"); // the contents have all names
  return { ...about, label };
}

function place() {
  const taken = [];
  for (const { label, x, y, radius, part } of names) {
    const [left, top] = onScreen(x, y);
    const wide = (label.wide ??= label.offsetWidth);
    const high = (label.high ??= label.offsetHeight);
    const from = [within(left - wide / 2, sheet.clientWidth - wide), within(top - high / 2, sheet.clientHeight - high)];
    const box = [...from, from[0] + wide, from[1] + high];
    const size = radius * scale();
    const fits = part ? size < 0.6 * sheet.clientHeight : size > 22;
    const inside = left > 0 && top > 0 && left < sheet.clientWidth && top < sheet.clientHeight;
    const free = taken.every((other) => box[2] < other[0] || box[0] > other[2] || box[3] < other[1] || box[1] > other[3]);
    label.style.visibility = fits && inside && free ? "visible" : "hidden";
    if (!(fits && inside && free)) continue;
    taken.push(box);
    label.style.transform = `translate(${box[0]}px, ${box[1]}px)`;
  }
}

// A name whose place is in the window is shown whole.
const within = (at, room) => Math.min(Math.max(at, 2), Math.max(room - 2, 2));
const onScreen = (x, y) => [sheet.clientWidth / 2 + (x - view.x) * scale(), sheet.clientHeight / 2 + (y - view.y) * scale()];
const onMap = (left, top) => [view.x + (left - sheet.clientWidth / 2) / scale(), view.y + (top - sheet.clientHeight / 2) / scale()];

// Moving. The address follows, so that a link keeps the view.

let written = 0;

function move(x, y, zoom) {
  view.zoom = Math.min(Math.max(zoom, WIDEST), CLOSEST);
  view.x = Math.min(Math.max(x, 0), 1);
  view.y = Math.min(Math.max(y, 0), 1);
  moving();
  redraw();
  clearTimeout(written);
  written = setTimeout(write, 200);
}

function write() {
  const query = new URLSearchParams(location.search);
  query.set("at", `${view.x.toFixed(4)},${view.y.toFixed(4)},${view.zoom.toFixed(2)}`);
  if (light.value.trim()) query.set("q", light.value.trim());
  else query.delete("q");
  history.replaceState(null, "", `/map?${query}`);
}

function read(at) {
  const [x, y, zoom] = (at || "").split(",").map(Number);
  if ([x, y, zoom].every(Number.isFinite)) Object.assign(view, { x, y, zoom: Math.min(Math.max(zoom, WIDEST), CLOSEST) });
  redraw();
}

function nearer(factor, left = sheet.clientWidth / 2, top = sheet.clientHeight / 2) {
  const [x, y] = onMap(left, top);
  const zoom = Math.min(Math.max(view.zoom * factor, WIDEST), CLOSEST);
  const kept = view.zoom / zoom;
  move(x + (view.x - x) * kept, y + (view.y - y) * kept, zoom);
}

function buttons() {
  const bar = document.createElement("div");
  bar.className = "zoom";
  for (const [sign, label, act] of [["+", "Nearer", () => nearer(1.6)], ["−", "Further", () => nearer(1 / 1.6)], ["All", "The whole map", () => move(0.5, 0.5, WIDEST)]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    if (sign !== "All") button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    bar.append(button);
  }
  return bar;
}

const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
canvas.addEventListener("keydown", (event) => {
  const step = KEYS[event.key];
  if (step) move(view.x + (60 * step[0]) / scale(), view.y + (60 * step[1]) / scale(), view.zoom);
  else if (event.key === "+" || event.key === "=") nearer(1.4);
  else if (event.key === "-") nearer(1 / 1.4);
  else if (event.key === "Home") move(0.5, 0.5, WIDEST);
  else if (event.key === "Escape") hide();
  else return;
  event.preventDefault();
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  nearer(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
}, { passive: false });

const fingers = new Map();
let dragged = 0;
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
  if (fingers.size === 1) dragged = 0;
});
canvas.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId);
  if (!before) return void (event.pointerType === "mouse" && meet(event.offsetX, event.offsetY, false));
  const now = [event.offsetX, event.offsetY];
  const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
  if (other) nearer(Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(Math.hypot(before[0] - other[0], before[1] - other[1]), 1), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  else move(view.x - (now[0] - before[0]) / scale(), view.y - (now[1] - before[1]) / scale(), view.zoom);
  dragged += Math.hypot(now[0] - before[0], now[1] - before[1]);
  fingers.set(event.pointerId, now);
  hide();
});
canvas.addEventListener("pointerup", (event) => {
  fingers.delete(event.pointerId);
  if (dragged < 6) meet(event.offsetX, event.offsetY, true, event.pointerType);
});
canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
canvas.addEventListener("pointerleave", () => card.classList.contains("held") || hide());

// The card of a point

const card = document.createElement("div");
card.className = "point";
card.hidden = true;
const cards = new Map();
let met = -1;

// The point nearest to the pointer; while a search is lit, only what it found can be met.
function nearest(left, top) {
  const [x, y] = onMap(left, top);
  const [mapX, mapY] = [x * 65535, y * 65535];
  let best = ((REACH / scale()) * 65535) ** 2;
  let found = -1;
  for (let each = 0; each < points.count; each++) {
    const far = (points.x[each] - mapX) ** 2 + (points.y[each] - mapY) ** 2;
    if (far < best && (!lit || lit[each]) && points.concept[each] !== GONE) (best = far), (found = each);
  }
  return found;
}

async function meet(left, top, chosen, kind = "mouse") {
  const point = nearest(left, top);
  if (point < 0) return hide();
  if (point === met && !chosen) return;
  met = point;
  if (!cards.has(point)) cards.set(point, ask("card", { point }).then((answer) => (answer.ok ? answer.json() : null), () => null));
  const about = await cards.get(point);
  if (!about || met !== point) return;
  if (chosen && kind === "mouse") return location.assign(about.link);
  fill(about, points.x[point] / 65535, points.y[point] / 65535, chosen);
}

function fill({ title, link, image, tags }, x, y, held) {
  const name = document.createElement("a");
  name.href = link;
  name.textContent = title;
  const words = document.createElement("p");
  words.textContent = tags.join(", ");
  const picture = document.createElement("img");
  if (image) Object.assign(picture, { src: image, alt: "" });
  card.replaceChildren(...(image ? [picture] : []), name, words);
  card.classList.toggle("held", held);
  card.hidden = false;
  const [left, top] = onScreen(x, y);
  card.style.left = `${Math.min(Math.max(left + 12, 4), sheet.clientWidth - card.offsetWidth - 4)}px`;
  card.style.top = `${top + 12 + card.offsetHeight > sheet.clientHeight ? Math.max(top - 12 - card.offsetHeight, 4) : top + 12}px`;
}

function hide() {
  met = -1;
  card.hidden = true;
}

// A search lights up what it finds.

light.form.addEventListener("submit", (event) => {
  if (!points) return;
  event.preventDefault();
  search().then(write);
});
light.addEventListener("search", () => points && !light.value && search().then(write));

async function search() {
  const words = light.value.trim();
  const answer = words ? await ask("found", { q: words }) : null;
  const found = answer?.ok ? new Uint32Array(await answer.arrayBuffer()) : [];
  lit = words ? new Uint8Array(points.count) : null;
  for (const each of found) lit[each] = 1;
  announcement.textContent = words ? `${found.length.toLocaleString("en")} documents with ${words} are lit` : "";
  upload();
  redraw();
}

// The contents lead to places on the map.

document.querySelector(".contents").addEventListener("click", (event) => {
  const item = event.target.closest("li[data-x]");
  if (!points || !item || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const { x, y, radius } = item.dataset;
  move(+x, +y, 0.35 / Math.max(+radius, 0.001));
  sheet.scrollIntoView({ block: "nearest" });
});

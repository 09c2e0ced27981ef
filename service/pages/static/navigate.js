// Shows another address without loading it anew: asks for the same page and replaces the parts marked data-live.
// Whatever cannot be shown this way is loaded by the browser as ever.

const trouble = document.getElementById("trouble");
const SLOW = 180; // milliseconds until waiting is shown

let running = null;
let wanted = location.href;

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

// mode: "push" makes an entry in the history, "replace" changes the present one, "stay" leaves it.
// What is shown grows from the card, if there is one.
export async function show(address, { mode = "push", focus = false, card = null } = {}) {
  running?.abort();
  const asking = (running = new AbortController());
  wanted = address;
  const waiting = setTimeout(() => document.documentElement.classList.add("waiting"), SLOW);
  document.getElementById("results")?.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { headers: { Accept: "text/html" }, signal: asking.signal });
    if (!answer.headers.get("Content-Type")?.startsWith("text/html")) throw new Error(`${answer.status}`);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (asking.signal.aborted) return false;
    if (!fresh.querySelector("[data-live]") || !fresh.getElementById("results")) {
      location.assign(address);
      return false;
    }
    if (mode === "push") history.pushState(null, "", address);
    if (mode === "replace") history.replaceState(null, "", address);
    await grow(card, () => put(fresh, focus));
    if (trouble) trouble.hidden = true;
    return true;
  } catch (error) {
    if (error.name !== "AbortError") failed();
    return false;
  } finally {
    clearTimeout(waiting);
    if (running === asking) {
      running = null;
      document.documentElement.classList.remove("waiting");
      document.getElementById("results")?.removeAttribute("aria-busy");
    }
  }
}

// What is pressed must still be there when it is let go, or nothing is clicked.
let pressed = false;
addEventListener("pointerdown", () => (pressed = true), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => (pressed = false)), true);

// Renews what is shown, without a word unless it fails to; for pages that change by themselves.
// With the key of an operator, it shows what only operators may see.
export async function renew(key = "") {
  try {
    const headers = { Accept: "text/html", ...(key && { "X-API-Key": key }) };
    const answer = await fetch(location.href, { headers });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!running && !pressed) put(fresh, false);
  } catch {
    // The next turn tries again; what is shown stays.
  }
}

// A group that opens grows from its card, where the browser can show that and the reader wants motion.
function grow(card, change) {
  if (!card?.isConnected || calm.matches || !document.startViewTransition) return change();
  const name = (element, word) => (element.style.viewTransitionName = word);
  name(card, "opened");
  const motion = document.startViewTransition(() => {
    name(card, "");
    change();
    name(document.getElementById("results"), "opened");
  });
  motion.ready.catch(() => {}); // skipped, because the page is hidden or the next motion began: what is shown is right
  motion.finished.finally(() => name(document.getElementById("results"), ""));
  return motion.updateCallbackDone;
}

function put(fresh, focus) {
  const active = document.activeElement;
  const inside = active?.closest("[data-live]");
  const mark = inside && (active.id ? `#${CSS.escape(active.id)}` : active.getAttribute("href") && `a[href="${CSS.escape(active.getAttribute("href"))}"]`);
  const place = inside?.id;
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (!next) continue;
    for (const details of part.querySelectorAll("details[open][id]")) next.querySelector(`#${CSS.escape(details.id)}`)?.setAttribute("open", "");
    if (!next.isEqualNode(part)) part.replaceWith(document.adoptNode(next));
  }
  document.title = fresh.title;
  const again = place && mark && document.getElementById(place)?.querySelector(mark);
  if (again) again.focus({ preventScroll: true });
  else if (inside || focus) {
    document.querySelector("#results h1")?.focus({ preventScroll: true });
    if (scrollY > 200) scrollTo({ top: 0, behavior: calm.matches ? "auto" : "smooth" });
  }
  document.dispatchEvent(new CustomEvent("shown", { detail: fresh }));
  const { summary } = document.getElementById("results").dataset;
  if (summary) document.getElementById("announcement").textContent = summary;
}

function failed() {
  if (!trouble) return location.assign(wanted);
  trouble.hidden = false;
}

trouble?.querySelector("button").addEventListener("click", () => show(wanted, { mode: wanted === location.href ? "stay" : "push" }));

// Links to other states of this page, in HTML or in a drawing.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const address = new URL(link.getAttribute("href"), location);
  if (!link.closest("[data-live]") || address.origin !== location.origin || address.pathname !== location.pathname || link.hasAttribute("download")) return;
  if (address.hash && sameButHash(address.href, location.href)) return; // the browser goes there by itself
  event.preventDefault();
  show(address.href, { focus: true, card: link.matches(".group h2 a") ? link.closest(".group") : null });
});

function sameButHash(one, other) {
  return one.split("#")[0] === new URL(other, location).href.split("#")[0];
}

addEventListener("popstate", () => sameButHash(location.href, wanted) || show(location.href, { mode: "stay", focus: true }));

// <cotag-cloud corpus="…" tags="…">: a grouped tag cloud from Cotag's API, for any page of any site. See docs/embed.md.

const HOME = import.meta.url.replace(/static\/.*$/, ""); // the service that this script comes from
const ATTRIBUTES = ["api", "corpus", "tags", "q", "groups", "by", "limit", "specificity", "href", "level", "documents"];
const SIZES = 8;

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
:host { display: block; font: inherit; line-height: 1.5; color: inherit; }
:host([hidden]) { display: none; }
.groups { columns: var(--cotag-column, 16rem); column-gap: .9rem; }
section { break-inside: avoid; margin: 0 0 .9rem; padding: .8rem .95rem .9rem; border-radius: var(--cotag-radius, .7rem); border: 1px solid color-mix(in srgb, var(--hue) 40%, transparent); background: color-mix(in srgb, var(--hue) 8%, transparent); }
.heading { display: flex; gap: .5rem; margin: 0 0 .3rem; font-size: 1em; font-weight: 650; line-height: 1.35; overflow-wrap: anywhere; }
.heading::before { content: ""; flex: none; width: .45rem; border-radius: .25rem; background: var(--hue); }
ul { display: flex; flex-wrap: wrap; gap: .1rem .75rem; align-items: baseline; margin: 0; padding: 0; list-style: none; }
a, .tag { all: unset; cursor: pointer; overflow-wrap: anywhere; }
.tag { display: inline; }
a:hover, .tag:hover { text-decoration: underline; text-decoration-color: var(--hue); text-decoration-thickness: .14em; }
a:focus-visible, button:focus-visible { outline: 3px solid var(--cotag-focus, #3584c8); outline-offset: 2px; border-radius: .2rem; }
small { margin-left: .25rem; font-size: .72rem; opacity: .85; font-variant-numeric: tabular-nums; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.broad { font-style: italic; }
.plain { --hue: #7a7f87; }
.also { --hue: #7a7f87; border-style: dashed; background: none; }
.also .heading { font-weight: 500; opacity: .85; }
.chips { margin: 0 0 .7rem; gap: .4rem; }
.chips button { all: unset; padding: .15rem .65rem; border-radius: 1rem; border: 1px solid currentColor; cursor: pointer; }
.chips button:focus-visible, .notice button:focus-visible { outline: 3px solid var(--cotag-focus, #3584c8); outline-offset: 2px; }
.documents { gap: .6rem; margin-top: .4rem; }
.documents a, .documents li > span { display: inline-flex; gap: .5rem; align-items: center; padding: .35rem .7rem .35rem .35rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: var(--cotag-radius, .7rem); }
.documents img { width: 2rem; height: 2rem; padding: .2rem; object-fit: contain; background: #fff; border-radius: .4rem; }
.documents span:only-child { padding-left: .35rem; }
.notice { margin: 0 0 .7rem; }
.notice button { all: unset; text-decoration: underline; cursor: pointer; }
.coloured { --hue: oklch(.63 .12 var(--h)); }
${[0.88, 0.96, 1.04, 1.14, 1.26, 1.4, 1.55, 1.7].map((size, number) => `.w${number + 1} { font-size: ${size}em; }`).join("\n")}
`);

export class CotagCloud extends HTMLElement {
  static observedAttributes = ATTRIBUTES;

  #asking = null;
  #planned = false;

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
  }

  // The tags asked about, as a list; the attribute has commas between.
  get tags() {
    return (this.getAttribute("tags") ?? "").split(",").map((tag) => tag.trim()).filter(Boolean);
  }

  set tags(tags) {
    this.setAttribute("tags", [...tags].join(", "));
  }

  connectedCallback() {
    this.#plan();
  }

  disconnectedCallback() {
    this.#asking?.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#plan();
  }

  // Several attributes may change at once; one question is enough.
  #plan() {
    if (this.#planned) return;
    this.#planned = true;
    queueMicrotask(() => {
      this.#planned = false;
      this.load();
    });
  }

  get address() {
    return this.#addressOf("cloud", ["groups", "by", "limit", "specificity"]);
  }

  #addressOf(question, names, more = {}) {
    const query = new URLSearchParams({ unknown: "ignore" }); // a site may have tags that the corpus does not know
    for (const tag of this.tags) query.append("tag", tag);
    for (const name of ["q", ...names]) if (this.hasAttribute(name)) query.append(name, this.getAttribute(name));
    for (const [name, value] of Object.entries(more)) query.append(name, value);
    const api = new URL(this.getAttribute("api") ?? HOME, document.baseURI);
    return new URL(`v1/corpora/${encodeURIComponent(this.getAttribute("corpus") ?? "")}/${question}?${query}`, api.href.replace(/\/?$/, "/")).href;
  }

  async load() {
    this.#asking?.abort();
    const { signal } = (this.#asking = new AbortController());
    this.setAttribute("aria-busy", "true");
    try {
      const documents = this.#askDocuments(signal);
      const answer = await fetch(this.address, { signal, credentials: "omit" });
      const found = await answer.json();
      if (!answer.ok) throw Object.assign(new Error(found.detail ?? answer.statusText), { status: answer.status, suggestions: found.suggestions, reason: found.reason });
      this.#show(found, await documents);
      this.#tell("cotag-load", found);
    } catch (caught) {
      if (caught.name === "AbortError") return;
      const error = caught instanceof TypeError ? this.#unanswered() : caught;
      this.#explainOrFallBack(error);
      this.#tell("cotag-error", { message: error.message, reason: error.reason ?? null });
    }
    this.removeAttribute("aria-busy");
  }

  // A browser does not say whether a service is away or does not allow the page; only its maker can do something.
  #unanswered() {
    return new Error(`no answer from ${new URL(HOME).origin}: it is away, or does not allow pages of ${location.origin} (COTAG_CORS_ORIGINS)`);
  }

  // The documents of the query, if the page wants some. A cloud without them is better than an error.
  async #askDocuments(signal) {
    const most = this.getAttribute("documents");
    if (!most || !(this.tags.length || this.hasAttribute("q"))) return [];
    try {
      const answer = await fetch(this.#addressOf("documents", [], { limit: most }), { signal, credentials: "omit" });
      return answer.ok ? (await answer.json()).documents : [];
    } catch {
      return [];
    }
  }

  #tell(name, detail, cancelable = false) {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
  }

  #show(cloud, documents) {
    const groups = element("div", { class: "groups", part: "groups" });
    // A concept keeps its colour from cloud to cloud; a group has that of the concept with the largest share of it.
    for (const { also, common, label, tags, hue } of cloud.groups) {
      const section = this.#group(also ? "Also" : common ? "Common with everything" : label, tags, also || common ? "also" : hue == null ? "plain" : "coloured");
      section.style.setProperty("--h", hue ?? 0);
      groups.append(section);
    }
    const { ignored, suggestions, understood } = cloud.query;
    const nothing = ignored.length > 0 && !understood.length; // of what was asked, the corpus knows nothing
    if (nothing && this.textContent.trim()) return this.shadowRoot.replaceChildren(element("slot", {}));
    if (!groups.children.length && !nothing) groups.append(element("p", { class: "notice", part: "notice" }, "Nothing surrounds these tags."));
    this.shadowRoot.replaceChildren(...this.#chips(), ...this.#ignored(ignored, suggestions), groups, ...this.#documents(documents));
  }

  #documents(documents) {
    if (!documents.length) return [];
    const list = element("ul", { class: "documents", part: "documents" });
    for (const { id, title, url, image } of documents) {
      const content = [...(image ? [element("img", { src: new URL(image, HOME).href, alt: "", loading: "lazy" })] : []), element("span", {}, title ?? id)];
      list.append(element("li", { part: "document" }, url ? element("a", { href: new URL(url, HOME).href }, ...content) : element("span", {}, ...content)));
    }
    return [list];
  }

  // Says which tags and words of the query the corpus does not know, and what these and rare tags may have meant.
  #ignored(words, suggestions) {
    const tags = [...new Set(suggestions.flatMap((each) => each.tags))];
    if (!words.length && !tags.length) return [];
    const notice = element("p", { class: "notice", part: "notice", role: "status" }, words.length ? `Passed over, as no tag here: ${words.join(", ")}. ` : "");
    if (tags.length) notice.append("Did you mean ", ...this.#offers(tags), "?");
    return [notice];
  }

  // Tags to ask about instead, as buttons with commas between.
  #offers(tags) {
    return tags.flatMap((tag, number) => {
      const button = element("button", { type: "button" }, tag);
      button.addEventListener("click", () => {
        this.removeAttribute("q");
        this.tags = [tag];
      });
      return number ? [", ", button] : [button];
    });
  }

  #group(label, tags, kind) {
    const level = /^[1-6]$/.test(this.getAttribute("level") ?? "") ? this.getAttribute("level") : "3";
    const list = element("ul", { part: "tags" });
    for (const { tag, weight, count, broad } of tags) {
      const size = 1 + Math.min(Math.floor(Math.sqrt(weight) * SIZES), SIZES - 1);
      const link = this.#link(tag);
      const number = element("small", { part: "count" }, element("span", { class: "hidden" }, ", "), count.toLocaleString("en"), element("span", { class: "hidden" }, broad ? " documents, broad" : " documents"));
      list.append(element("li", { class: broad ? `w${size} broad` : `w${size}` }, link, number));
    }
    return element("section", { class: kind, part: `group ${kind}` }, element(`h${level}`, { class: "heading", part: "heading" }, label), list);
  }

  // A real link if the page says where tags lead, or else a button that asks about the tag as well.
  #link(tag) {
    const href = this.getAttribute("href");
    const link = href ? element("a", { href: href.replaceAll("{tag}", encodeURIComponent(tag)), part: "tag" }, tag) : element("button", { type: "button", class: "tag", part: "tag" }, tag);
    link.addEventListener("click", (event) => {
      const goOn = this.#tell("cotag-choose", { tag, corpus: this.getAttribute("corpus"), tags: this.tags }, true);
      if (!goOn) event.preventDefault();
      else if (!href) this.tags = [...new Set([...this.tags, tag])];
    });
    return link;
  }

  #chips() {
    if (!this.tags.length || this.hasAttribute("href")) return [];
    const list = element("ul", { class: "chips", part: "chips", "aria-label": "Chosen tags" });
    for (const tag of this.tags) {
      const button = element("button", { type: "button", part: "chip", "aria-label": `Remove ${tag}` }, `${tag} ×`);
      button.addEventListener("click", () => (this.tags = this.tags.filter((other) => other !== tag)));
      list.append(element("li", {}, button));
    }
    return [list];
  }

  // If the corpus knows none of the tags, what the page wrote between the tags of the element says more than an error.
  #explainOrFallBack(error) {
    if (error.status === 404 && this.textContent.trim()) this.shadowRoot.replaceChildren(element("slot", {}));
    else this.#explain(error);
  }

  #explain(error) {
    const notice = element("p", { class: "notice", part: "notice", role: "status" });
    if (error.suggestions?.length) {
      notice.append(`${error.message}. Did you mean `, ...this.#offers(error.suggestions), "?");
    } else {
      const again = element("button", { type: "button" }, "Try again");
      again.addEventListener("click", () => this.load());
      // Why the corpus has no snapshot is a sentence for people; other errors are explained.
      const why = error.reason ? `${error.message[0].toUpperCase()}${error.message.slice(1)}. ` : `The tags could not be loaded (${error.message}). `;
      notice.append(why, again);
    }
    this.shadowRoot.replaceChildren(...this.#chips(), notice);
  }
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

customElements.define("cotag-cloud", CotagCloud);

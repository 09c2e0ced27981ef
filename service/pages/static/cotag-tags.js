// <cotag-tags corpus="…" name="tags">: a field of a form for tags, which knows the vocabulary. See docs/how-to/tag-field.md.
// It has no import and no export, so that it runs as a module and as a classic script.
{
  const NAME = "cotag-tags.js";
  const script = document.currentScript ?? document.querySelector(`script[src*="${NAME}"]`);
  const HOME = (script?.src ?? document.baseURI).replace(/static\/.*$/, ""); // the service that this script comes from
  const OPTIONS = 8;
  const PAUSE = 90; // milliseconds after a key in the field
  const LONG_PAUSE = 400; // and in the title or the text that it follows
  const MOST = { title: 1000, text: 100000, tags: 100, tag: 500 }; // what the service accepts

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
:host { display: block; font: inherit; line-height: 1.5; color: inherit; --own-edge: var(--cotag-border, color-mix(in srgb, currentColor 45%, transparent)); --own-hue: var(--cotag-accent, #1d6fa5); }
:host([hidden]) { display: none; }
.box { position: relative; display: flex; flex-wrap: wrap; gap: .35rem; padding: .35rem; border: 1px solid var(--own-edge); border-radius: var(--cotag-radius, .6rem); background: var(--cotag-surface, Field); color: var(--cotag-ink, FieldText); cursor: text; }
.box:focus-within { outline: 3px solid var(--cotag-focus, #3584c8); outline-offset: 1px; }
ul { display: contents; margin: 0; padding: 0; list-style: none; }
.chip { display: flex; align-items: center; min-width: 0; border-radius: calc(var(--cotag-radius, .6rem) * .7); background: color-mix(in srgb, var(--own-hue) 16%, transparent); }
.chip span { padding: .1rem 0 .1rem .6rem; overflow-wrap: anywhere; }
.chip.new { background: none; box-shadow: inset 0 0 0 1px var(--own-edge); }
.chip.refused span { text-decoration: line-through; }
button { font: inherit; color: inherit; cursor: pointer; }
.chip button { min-width: 1.75rem; min-height: 1.75rem; padding: 0; border: 0; border-radius: inherit; background: none; }
.chip button:hover { background: color-mix(in srgb, var(--own-hue) 20%, transparent); }
input { flex: 1; min-width: 8rem; padding: .15rem .3rem; border: 0; outline: 0; background: none; font: inherit; color: inherit; }
button:focus-visible { outline: 3px solid var(--cotag-focus, #3584c8); outline-offset: 1px; }
.options { position: absolute; z-index: 9; left: 0; top: calc(100% + .3rem); box-sizing: border-box; display: block; width: max(100%, 14rem); max-width: 90vw; max-height: 50vh; overflow-y: auto; padding: .3rem; border: 1px solid var(--own-edge); border-radius: var(--cotag-radius, .6rem); background: var(--cotag-surface, Field); box-shadow: 0 8px 28px rgb(0 0 0 / 20%); }
.options[hidden] { display: none; }
.options li { display: flex; gap: .8rem; padding: .35rem .6rem; border-radius: .4rem; cursor: pointer; overflow-wrap: anywhere; }
.options li[aria-selected="true"] { background: var(--own-hue); color: var(--cotag-on-accent, #fff); }
.options small { margin-left: auto; font-size: .85em; white-space: nowrap; font-variant-numeric: tabular-nums; }
.offers { display: flex; flex-wrap: wrap; gap: .35rem; align-items: center; margin-top: .45rem; }
.offers:empty, .notice:empty { display: none; }
.offers button { padding: .1rem .65rem; border: 1px dashed var(--own-edge); border-radius: 1rem; background: none; overflow-wrap: anywhere; }
.offers button:hover { border-style: solid; background: color-mix(in srgb, var(--own-hue) 12%, transparent); }
.notice { margin-top: .35rem; }
.notice p { margin: 0; }
.notice button { padding: 0 .1rem; border: 0; background: none; text-decoration: underline; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:host(:disabled) .box, :host(:disabled) .offers { opacity: .6; cursor: default; }
`);

  class CotagTags extends HTMLElement {
    static formAssociated = true;
    static observedAttributes = ["value", "api", "corpus", "for-title", "for-text", "limit", "placeholder", "required"];

    #internals = this.attachInternals();
    #tags = [];
    #given = new Map(); // what the service says about each chosen tag
    #offered = [];
    #active = -1;
    #asked = 0;
    #asking = null;
    #timers = {};
    #followed = [];

    constructor() {
      super();
      const root = this.attachShadow({ mode: "open", delegatesFocus: true });
      root.adoptedStyleSheets = [sheet];
      this.chips = element("ul", { part: "chips", "aria-label": "Chosen tags", role: "list" });
      this.input = element("input", { part: "input", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "options", "aria-describedby": "notice" });
      this.options = element("ul", { id: "options", class: "options", part: "options", role: "listbox", "aria-label": "Tags to choose from" });
      this.options.hidden = true;
      this.offers = element("div", { class: "offers", part: "suggestions", role: "group", "aria-label": "Suggested tags" });
      this.notice = element("div", { id: "notice", class: "notice", part: "notice" });
      this.status = element("div", { class: "hidden", role: "status" });
      this.box = element("div", { class: "box", part: "box" }, this.chips, this.input, this.options);
      root.append(this.box, this.offers, this.notice, this.status);
      this.#listen();
    }

    // The chosen tags, as a list.
    get tags() {
      return [...this.#tags];
    }

    set tags(tags) {
      this.#tags = [...new Set([...tags].map((tag) => String(tag).trim().slice(0, MOST.tag)).filter(Boolean))].slice(0, MOST.tags);
      this.#changed();
    }

    // The same as a text with commas between, as a form of a page without JavaScript has it.
    get value() {
      return this.#tags.join(", ");
    }

    set value(text) {
      this.tags = split(text);
    }

    get form() {
      return this.#internals.form;
    }

    get name() {
      return this.getAttribute("name");
    }

    set name(name) {
      this.setAttribute("name", name);
    }

    get type() {
      return "cotag-tags";
    }

    get validity() {
      return this.#internals.validity;
    }

    get validationMessage() {
      return this.#internals.validationMessage;
    }

    get willValidate() {
      return this.#internals.willValidate;
    }

    checkValidity() {
      return this.#internals.checkValidity();
    }

    reportValidity() {
      return this.#internals.reportValidity();
    }

    connectedCallback() {
      this.#settle();
      // A classic script may run before the rest of the page is there.
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.isConnected && this.#settle(), { once: true });
    }

    #settle() {
      // What the page wrote between the tags is for browsers that do not run this; it must not be submitted twice.
      const plain = this.querySelector("input, textarea");
      if (!this.#tags.length) this.value = this.getAttribute("value") ?? plain?.value ?? "";
      for (const field of this.querySelectorAll("input, textarea, select")) field.disabled = true;
      this.input.setAttribute("aria-label", this.#label());
      this.#follow();
    }

    disconnectedCallback() {
      this.#asking?.abort();
      for (const timer of Object.values(this.#timers)) clearTimeout(timer);
      for (const field of this.#followed) field.removeEventListener("input", this.#later);
    }

    attributeChangedCallback(name, before, after) {
      if (name === "placeholder") this.input.placeholder = after ?? "";
      else if (!this.isConnected) return;
      else if (name === "value") this.value = after ?? "";
      else if (name === "required") this.#validate();
      else this.#follow();
    }

    formResetCallback() {
      this.value = this.getAttribute("value") ?? this.querySelector("input, textarea")?.defaultValue ?? "";
    }

    formStateRestoreCallback(state) {
      this.tags = JSON.parse(state);
    }

    formDisabledCallback(disabled) {
      this.input.disabled = disabled;
      this.#show();
    }

    addTag(tag) {
      this.tags = [...this.#tags, tag];
    }

    removeTag(tag) {
      this.tags = this.#tags.filter((other) => other !== tag);
    }

    #label() {
      const labels = [...this.#internals.labels].map((label) => label.textContent.trim());
      return this.getAttribute("aria-label") ?? (labels.join(" ") || "Tags");
    }

    // Listens to the title and the text of the page that the suggestions follow.
    #follow() {
      for (const field of this.#followed) field.removeEventListener("input", this.#later);
      this.#followed = ["for-title", "for-text"].map((name) => this.#field(name)).filter(Boolean);
      for (const field of this.#followed) field.addEventListener("input", this.#later);
      this.#later();
    }

    #later = () => this.#after("suggest", this.#followed.length ? LONG_PAUSE : 0, () => this.suggest());

    #after(what, pause, act) {
      clearTimeout(this.#timers[what]);
      this.#timers[what] = setTimeout(act, pause);
    }

    #field(name) {
      const id = this.getAttribute(name);
      return id ? this.getRootNode().getElementById(id) : null;
    }

    #words(name, most) {
      const field = this.#field(name);
      return (field?.value ?? field?.textContent ?? "").slice(0, most);
    }

    // Asks what fits the title, the text and the chosen tags, and what becomes of these.
    async suggest() {
      this.#asking?.abort();
      const { signal } = (this.#asking = new AbortController());
      const body = { title: this.#words("for-title", MOST.title), text: this.#words("for-text", MOST.text), tags: this.#tags, limit: this.#limit };
      if (!body.title.trim() && !body.text.trim() && !body.tags.length) return this.#told({ tags: [], given: [] });
      try {
        const answer = await this.#fetch("suggest", { signal, method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
        this.#told(answer.documents[0]);
        this.#tell("cotag-load", answer);
      } catch (error) {
        if (error.name === "AbortError") return;
        this.#told({ tags: [], given: [] }); // tags can be written without the service
        this.#tell("cotag-error", { message: error.message, reason: error.reason ?? null });
      }
    }

    get #limit() {
      return Math.min(Math.max(parseInt(this.getAttribute("limit") ?? "6", 10) || 6, 1), 30);
    }

    async #fetch(question, options) {
      const api = new URL(this.getAttribute("api") ?? HOME, document.baseURI).href.replace(/\/?$/, "/");
      const answer = await fetch(`${api}v1/corpora/${encodeURIComponent(this.getAttribute("corpus") ?? "")}/${question}`, { credentials: "omit", ...options });
      const found = await answer.json();
      if (!answer.ok) throw Object.assign(new Error(found.detail ?? answer.statusText), { reason: found.reason });
      return found;
    }

    #told({ tags, given }) {
      this.#offered = tags;
      this.#given = new Map(given.map((each) => [each.input, each]));
      this.#show();
    }

    #tell(name, detail) {
      this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
    }

    #changed() {
      const parts = new FormData();
      const name = this.name ?? "";
      if (this.hasAttribute("multiple")) for (const tag of this.#tags) parts.append(name, tag);
      this.#internals.setFormValue(this.hasAttribute("multiple") ? parts : this.value, JSON.stringify(this.#tags));
      this.#validate();
      this.#show();
      if (this.isConnected) this.#after("suggest", 0, () => this.suggest());
    }

    #validate() {
      const missing = this.hasAttribute("required") && !this.#tags.length;
      this.#internals.setValidity(missing ? { valueMissing: true } : {}, missing ? "Choose a tag." : "", this.input);
    }

    // What a person did, as a page hears it from any field.
    #did(act, words) {
      act();
      this.#say(words);
      for (const name of ["input", "change"]) this.dispatchEvent(new Event(name, { bubbles: true, composed: name === "input" }));
    }

    #say(words) {
      this.status.textContent = words;
    }

    #show() {
      const focused = [...this.chips.querySelectorAll("button")].indexOf(this.shadowRoot.activeElement);
      this.chips.replaceChildren(...this.#tags.map((tag) => this.#chip(tag)));
      if (focused >= 0) (this.chips.querySelectorAll("button")[Math.min(focused, this.#tags.length - 1)] ?? this.input).focus();
      this.offers.replaceChildren(...this.#offered.filter(({ tag }) => !this.#tags.includes(tag)).map((each) => this.#offer(each)));
      this.notice.replaceChildren(...this.#tags.flatMap((tag) => this.#doubt(tag)));
    }

    #chip(tag) {
      const state = this.#given.get(tag)?.state ?? "";
      const remove = element("button", { type: "button", part: "remove", "aria-label": `Remove ${tag}`, tabindex: "-1" }, "×");
      remove.disabled = this.input.disabled;
      remove.addEventListener("click", () => this.#drop(tag));
      const kind = { new: " (new here)", refused: " (refused here)" }[state];
      return element("li", { class: `chip ${state}`, part: `chip ${state}` }, element("span", {}, tag, ...(kind ? [element("span", { class: "hidden" }, kind)] : [])), remove);
    }

    #offer({ tag, count, reasons }) {
      const why = reasons.map((reason) => reason.sentence).join("; ");
      const button = element("button", { type: "button", part: "suggestion", title: [why, documents(count)].filter(Boolean).join(" · ") }, `+ ${tag}`);
      button.disabled = this.input.disabled;
      button.addEventListener("click", () => {
        this.input.focus();
        this.#take(tag);
      });
      return button;
    }

    // "Did you mean" for a tag that is another spelling, another name or a double of one that exists.
    #doubt(tag) {
      const given = this.#given.get(tag);
      if (given?.state === "refused") return [element("p", {}, `“${tag}” is refused here${given.by ? `, by ${given.by}` : ""}.`)];
      const meant = given?.state === "canonical" ? [given.tag] : given?.state === "near" ? given.near.map((each) => each.tag) : [];
      const others = meant.filter((each) => !this.#tags.includes(each));
      if (!others.length) return [];
      const line = element("p", {}, `“${tag}”: did you mean `);
      others.forEach((other, number) => {
        const button = element("button", { type: "button", title: given.near[number]?.evidence ?? `${tag} stands for it` }, other);
        button.addEventListener("click", () => {
          this.input.focus();
          this.#did(() => (this.tags = this.#tags.map((each) => (each === tag ? other : each))), `${other} instead of ${tag}`);
        });
        line.append(number ? ", " : "", button);
      });
      line.append("?");
      return [line];
    }

    #take(tag) {
      this.#did(() => this.addTag(tag), `${tag} added, ${this.#tags.length + 1} chosen`);
    }

    #drop(tag) {
      this.#did(() => this.removeTag(tag), `${tag} removed, ${this.#tags.length - 1} chosen`);
      if (!this.#tags.length) this.input.focus();
    }

    // Takes what is written as a tag. Commas are between tags, also of a text that is pasted.
    #commit() {
      const written = split(this.input.value).filter((tag) => !this.#tags.includes(tag));
      this.input.value = "";
      this.#close();
      if (written.length) this.#did(() => (this.tags = [...this.#tags, ...written]), `${written.join(", ")} added, ${this.#tags.length + written.length} chosen`);
    }

    #listen() {
      this.addEventListener("click", (event) => {
        if (event.composedPath()[0] === this) this.input.focus(); // its label was clicked
      });
      this.input.addEventListener("input", (event) => {
        event.stopPropagation(); // half a word is not yet a value
        if (this.input.value.includes(",")) return this.#commit();
        this.#after("look", PAUSE, () => this.#look());
      });
      this.input.addEventListener("change", (event) => event.stopPropagation());
      this.input.addEventListener("blur", () => this.#commit());
      this.input.addEventListener("keydown", (event) => this.#key(event));
      this.chips.addEventListener("keydown", (event) => this.#chipKey(event));
      this.box.addEventListener("mousedown", (event) => {
        if (event.target === this.box) event.preventDefault();
        if (event.target === this.box) this.input.focus();
      });
      this.options.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
      this.options.addEventListener("click", (event) => {
        const option = event.composedPath().find((each) => each.dataset?.tag);
        if (option) this.#pick(option);
      });
    }

    #key(event) {
      if (event.isComposing) return;
      const { key } = event;
      const options = [...this.options.children];
      if (key === "ArrowDown" || key === "ArrowUp") {
        event.preventDefault();
        if (this.options.hidden) return void this.#look();
        this.#mark(((this.#active + (key === "ArrowDown" ? 1 : -1) + options.length + 2) % (options.length + 1)) - 1);
      } else if (key === "Enter") {
        event.preventDefault();
        if (options[this.#active]) this.#pick(options[this.#active]);
        else if (this.input.value.trim()) this.#commit();
        else this.form?.requestSubmit(); // as in any other field
      } else if (key === "Escape" && !this.options.hidden) {
        event.preventDefault();
        this.#close();
      } else if (key === "Backspace" && !this.input.value && this.#tags.length) {
        this.#drop(this.#tags.at(-1));
      } else if (key === "ArrowLeft" && !this.input.selectionEnd && this.#tags.length) {
        event.preventDefault();
        this.#close();
        [...this.chips.querySelectorAll("button")].at(-1).focus();
      }
    }

    // Among the chips: arrows go from one to the next, Delete and Backspace remove.
    #chipKey(event) {
      const buttons = [...this.chips.querySelectorAll("button")];
      const here = buttons.indexOf(this.shadowRoot.activeElement);
      const to = { ArrowLeft: Math.max(here - 1, 0), ArrowRight: here + 1, Home: 0, End: buttons.length }[event.key];
      if (to !== undefined) {
        event.preventDefault();
        (buttons[to] ?? this.input).focus();
      } else if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        this.#drop(this.#tags[here]);
      }
    }

    async #look() {
      const text = this.input.value.trim();
      const number = ++this.#asked;
      let found = this.#offered;
      if (text) {
        try {
          found = await this.#find(text);
        } catch {
          found = [];
        }
      }
      if (number !== this.#asked || this.shadowRoot.activeElement !== this.input) return;
      this.#fill(found.filter(({ tag }) => !this.#tags.includes(tag)), text);
    }

    // Common tags that begin with the text before rare ones, then tags that contain it.
    async #find(text) {
      const ask = (how) => this.#fetch(`tags?${new URLSearchParams({ [how]: text.slice(0, 100), limit: OPTIONS })}`, {});
      const { tags } = await ask("prefix");
      if (tags.length < OPTIONS && text.length > 1) {
        const known = new Set(tags.map(({ tag }) => tag));
        tags.push(...(await ask("infix")).tags.filter(({ tag }) => !known.has(tag)));
      }
      return tags.slice(0, OPTIONS);
    }

    #fill(found, text) {
      this.options.replaceChildren(
        ...found.map(({ tag, count, as: alias }, number) => {
          const option = element("li", { id: `option${number}`, part: "option", role: "option", "aria-selected": "false" }, element("span", {}, alias ? `${alias} → ${tag}` : tag), element("small", {}, documents(count)));
          option.dataset.tag = tag;
          return option;
        }),
      );
      this.#active = -1;
      this.input.removeAttribute("aria-activedescendant");
      this.options.hidden = !found.length;
      this.input.setAttribute("aria-expanded", String(found.length > 0));
      this.#say(found.length ? `${found.length} ${found.length === 1 ? "tag" : "tags"} to choose from` : text ? "No tag is spelled like this" : "No tag is suggested");
    }

    #close() {
      clearTimeout(this.#timers.look);
      this.#asked++;
      this.#active = -1;
      this.options.hidden = true;
      this.input.setAttribute("aria-expanded", "false");
      this.input.removeAttribute("aria-activedescendant");
    }

    // -1 is the field itself, between the last option and the first.
    #mark(number) {
      this.options.children[this.#active]?.setAttribute("aria-selected", "false");
      this.#active = number;
      const option = this.options.children[number];
      if (!option) return this.input.removeAttribute("aria-activedescendant");
      option.setAttribute("aria-selected", "true");
      option.scrollIntoView({ block: "nearest" });
      this.input.setAttribute("aria-activedescendant", option.id);
    }

    #pick(option) {
      this.input.value = "";
      this.#close();
      this.#take(option.dataset.tag);
    }
  }

  function split(text) {
    return [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];
  }

  function documents(count) {
    return `${count.toLocaleString("en")} document${count === 1 ? "" : "s"}`;
  }

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  if (!customElements.get("cotag-tags")) customElements.define("cotag-tags", CotagTags);
}

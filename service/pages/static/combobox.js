// Autocomplete as the ARIA authoring practices describe it: a combobox with a list, the focus stays in the box.

const LIMIT = 5; // results appear below them
const HYPHEN = /^-"?/; // what begins with it is to be excluded
const PAUSE = 90; // milliseconds after a key

export class Combobox {
  // choose(tag) is called with the tag that was picked, exclude(tag) if a hyphen was typed before it, find(word) with a
  // word of titles; erase() when Backspace meets an empty box. Without find, no words of titles are offered.
  constructor(box, list, corpus, { choose, exclude, find, erase, announce }) {
    Object.assign(this, { box, list, corpus, choose, exclude, findTitle: find, erase, announce, active: -1, asked: 0 });
    for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id })) box.setAttribute(name, value);
    box.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.look(), PAUSE);
    });
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("blur", () => this.close());
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.pick(option);
    });
  }

  get options() {
    return [...this.list.children];
  }

  get open() {
    return !this.list.hidden;
  }

  async look() {
    const text = this.box.value.trim().replace(HYPHEN, "");
    const number = ++this.asked;
    if (!text) return this.close();
    let found;
    try {
      found = await this.find(text);
    } catch {
      return this.close(); // searching works without suggestions
    }
    if (number !== this.asked || document.activeElement !== this.box) return;
    this.fill(found, text);
  }

  // Tags that begin with the text, or a word of which does; then tags that contain it; then words of titles.
  async find(text) {
    const { tags: found, titles } = await this.ask("prefix", text);
    if (found.length < LIMIT && text.length > 1) {
      const known = new Set(found.map((tag) => tag.tag));
      found.push(...(await this.ask("infix", text)).tags.filter((tag) => !known.has(tag.tag)));
    }
    const words = this.findTitle && !HYPHEN.test(this.box.value.trim()) ? titles : [];
    return [...found, ...words].slice(0, LIMIT);
  }

  async ask(how, text) {
    const query = new URLSearchParams({ [how]: text.slice(0, 100), limit: LIMIT });
    const answer = await fetch(`/v1/corpora/${encodeURIComponent(this.corpus)}/tags?${query}`);
    if (!answer.ok) throw new Error(answer.status);
    return await answer.json();
  }

  fill(found, text) {
    this.list.replaceChildren(
      ...found.map(({ tag, word, count, as, rare, description }, number) => {
        const option = document.createElement("li");
        option.id = `option${number}`;
        if (word) option.dataset.word = word;
        else option.dataset.tag = tag;
        option.classList.toggle("rare", Boolean(rare));
        option.setAttribute("role", "option");
        option.setAttribute("aria-selected", "false");
        const name = document.createElement("span");
        if (as) name.append(...marked(as, text), " → ");
        name.append(...marked(word ?? tag, text));
        const small = document.createElement("small");
        small.textContent = counted(count, word ? "title" : "document");
        option.append(name, small);
        if (description) {
          const meaning = document.createElement("small");
          meaning.className = "meaning";
          meaning.textContent = description.split("\n")[0].replace(/[*`]|\]\([^)]*\)|\[/g, "");
          option.append(meaning);
        }
        return option;
      }),
    );
    this.active = -1;
    this.box.removeAttribute("aria-activedescendant");
    this.list.hidden = !found.length;
    this.box.setAttribute("aria-expanded", String(found.length > 0));
    this.announce(found.length ? `${found.length} tags to choose from` : "No tag is spelled like this");
  }

  close() {
    clearTimeout(this.timer);
    this.asked++;
    this.list.hidden = true;
    this.active = -1;
    this.box.setAttribute("aria-expanded", "false");
    this.box.removeAttribute("aria-activedescendant");
  }

  key(event) {
    const count = this.options.length;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!this.open) return void this.look();
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.mark(((this.active + step + 1 + count + 1) % (count + 1)) - 1);
    } else if (event.key === "Enter") {
      if (!this.options[this.active]) return this.close(); // what was typed is searched for
      event.preventDefault();
      this.pick(this.options[this.active]);
    } else if (event.key === "Escape" && this.open) {
      event.preventDefault();
      this.close();
    } else if (event.key === "Backspace" && !this.box.value) {
      this.erase();
    }
  }

  // -1 is the box itself, between the last option and the first.
  mark(number) {
    this.options[this.active]?.setAttribute("aria-selected", "false");
    this.active = number;
    const option = this.options[number];
    if (!option) return this.box.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.box.setAttribute("aria-activedescendant", option.id);
  }

  pick(option) {
    const pass = HYPHEN.test(this.box.value.trim()) ? this.exclude : this.choose;
    this.box.value = "";
    this.close();
    if (option.dataset.word) this.findTitle(option.dataset.word);
    else pass(option.dataset.tag);
  }
}

function counted(count, what) {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

// The tag with the typed part in bold, as nodes: what people type is never markup.
function marked(tag, text) {
  const at = tag.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return [document.createTextNode(tag)];
  const bold = document.createElement("b");
  bold.textContent = tag.slice(at, at + text.length);
  return [document.createTextNode(tag.slice(0, at)), bold, document.createTextNode(tag.slice(at + text.length))];
}

// The search of a static site. It opens from plain files, so it fetches nothing: data comes as scripts that call `cotag`.
"use strict";

const cotag = (() => {
  const SHOWN = 10; // suggestions
  const LISTED = 12; // documents
  const BESIDE = 40; // words beside several words
  const loaded = { shards: new Map(), postings: new Map(), documents: new Map() };
  const first = document.getElementById("results").innerHTML;
  const box = document.getElementById("q");
  let known = null;
  let places = new Map();
  let spellings = new Map();

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function hue(concept) {
    return concept === null ? "" : known.concepts[concept][1];
  }

  function address(tags) {
    return `#${tags.map(encodeURIComponent).join("&")}`;
  }

  // The tags that the address names.
  function asked() {
    try {
      return [...new Set(location.hash.slice(1).split("&").map(decodeURIComponent))].filter((tag) => places.has(tag));
    } catch {
      return [];
    }
  }

  // An entry of a shard; if the shard is not there yet, its script is added, which shows everything again, and null is returned.
  function entry(kind, place, size) {
    const number = Math.floor(place / size);
    const shard = loaded[kind].get(number);
    if (shard) return shard[place % size];
    const source = `${kind}/${number}.js`;
    if (!document.querySelector(`script[src="${source}"]`)) document.head.append(element("script", { src: source }));
    return null;
  }

  // Entries of several places, or null while any is missing; all that are missing are asked for at once.
  function entries(kind, wanted, size) {
    const found = wanted.map((place) => entry(kind, place, size));
    return found.includes(null) ? null : found;
  }

  function show() {
    if (!known) return;
    const tags = asked();
    document.getElementById("found").replaceChildren();
    if (!tags.length) {
      document.getElementById("results").innerHTML = first;
      return;
    }
    const chosen = tags.map((tag) => places.get(tag));
    const clouds = entries("shards", chosen, known.shard);
    const lists = known.documents ? entries("postings", chosen, known.shard) : [];
    if (!clouds || !lists) return;
    const { all, some } = matches(lists.map(unpacked), chosen);
    const listed = [...all.slice(0, LISTED), ...some.slice(0, Math.max(LISTED - all.length, 0))];
    const cards = entries("documents", listed, known.documentShard);
    if (cards) draw(tags, chosen, clouds, all.length, cards);
  }

  // The numbers of documents, of which a list has the first and then the steps.
  function unpacked(steps) {
    let at = 0;
    return steps.map((step) => (at += step));
  }

  // The documents with all tags, and those with some: most of them first, the rarer tags before the common ones.
  function matches(lists, chosen) {
    const worth = new Map();
    lists.forEach((list, number) => {
      for (const each of list) worth.set(each, (worth.get(each) ?? 0) + 1 + 1 / (1 + known.tags[chosen[number]][1]));
    });
    const all = lists.length ? lists.reduce((one, other) => intersection(one, new Set(other))) : [];
    const whole = new Set(all);
    const some = [...worth.keys()].filter((each) => !whole.has(each)).sort((one, other) => worth.get(other) - worth.get(one) || one - other);
    return { all, some };
  }

  function intersection(list, others) {
    return list.filter((each) => others.has(each));
  }

  function draw(tags, chosen, clouds, total, cards) {
    const several = tags.length > 1;
    const about = element("div", { class: "about" }, element("h1", { tabindex: "-1" }, several ? tags.join(" and ") : `Around ${tags[0]}`));
    about.append(several ? chips(tags) : sayings(tags[0], known.tags[chosen[0]]));
    const groups = several ? [["Go on from here", 0, ...beside(clouds, chosen)]] : clouds[0];
    const sections = (loose) => groups.filter(([, closing, members]) => Boolean(closing) === loose && members.length).map((group) => card(tags, ...group));
    document.getElementById("results").replaceChildren(about, ...answers(tags, total, cards), element("div", { class: "groups" }, ...sections(false)), ...sections(true));
    document.getElementById("announcement").textContent = `${known.documents ? `${total.toLocaleString("en")} documents and ` : ""}${groups.length} groups around ${tags.join(" and ")}`;
    document.title = tags.join(", ");
    about.firstChild.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  function sayings(tag, [, count, concept]) {
    const having = `${documents(count)} with ${tag}`;
    const belongs = concept === null ? ["."] : ["; it belongs to ", element("a", { href: `concepts/${concept}.html` }, known.concepts[concept][0]), "."];
    return element("p", { class: "quiet" }, having, ...belongs);
  }

  function documents(count) {
    return `${count.toLocaleString("en")} ${count === 1 ? "document" : "documents"}`;
  }

  function chips(tags) {
    const list = element("ul", { class: "chips", "aria-label": "Chosen words" });
    for (const tag of tags) list.append(element("li", {}, element("span", {}, tag), element("a", { href: address(tags.filter((other) => other !== tag)), "aria-label": `Remove ${tag}` }, "×")));
    return list;
  }

  // The documents with all words, then, below a line, those with some.
  function answers(tags, total, cards) {
    if (!known.documents) return [];
    const heading = total ? `${documents(total)} with ${tags.join(" and ")}` : "No document has all of these words";
    const section = element("section", { class: "documents" }, element("h2", {}, heading));
    const [whole, some] = [cards.slice(0, total), cards.slice(total)];
    if (whole.length) section.append(cardList(tags, whole));
    if (some.length) section.append(element("p", { class: "line" }, "With some of these words"), cardList(tags, some));
    return [section];
  }

  function cardList(tags, cards) {
    const list = element("ul", { class: "cards" });
    for (const [title, url, own] of cards) {
      const marks = element("ul", { class: "marks", "aria-label": "Tags" });
      for (const place of own) {
        const tag = known.tags[place][0];
        marks.append(element("li", {}, tags.includes(tag) ? element("mark", {}, tag) : element("a", { href: address([...tags, tag]) }, tag)));
      }
      list.append(element("li", { class: "card" }, element("h3", {}, url ? element("a", { href: url, rel: "noreferrer" }, title) : title), marks));
    }
    return list;
  }

  // The words of the clouds around several words: those in most of them first, then the heavy ones.
  function beside(clouds, chosen) {
    const weight = new Map();
    for (const cloud of clouds) for (const [, , members, sizes] of cloud) members.forEach((place, number) => weight.set(place, (weight.get(place) ?? 0) + 10 + Number(sizes[number])));
    for (const place of chosen) weight.delete(place);
    const best = [...weight].sort(([one, a], [other, b]) => b - a || one - other).slice(0, BESIDE);
    return [best.map(([place]) => place), best.map(([, sum]) => Math.min(Math.max(Math.round(sum / clouds.length) - 9, 1), 8)).join("")];
  }

  function card(chosen, label, closing, tags, sizes) {
    const list = element("ul", { class: "tags" });
    tags.forEach((place, number) => {
      const [tag, count, concept, broad] = known.tags[place];
      const shown = count.toLocaleString("en");
      const counted = element("small", {}, concept === null ? shown : element("a", { href: `concepts/${concept}.html`, title: "Its concept" }, shown));
      const where = address(known.documents ? [...chosen, tag] : [tag]); // with documents, one word more; without, another one
      list.append(element("li", { class: `w${sizes[number]} ${hue(concept)}${broad ? " broad" : ""}` }, element("a", { href: where }, tag), counted));
    });
    const colour = closing ? "also" : hue(known.tags[tags[0]][2]);
    return element("section", { class: `group ${colour}` }, element("h2", {}, label), list);
  }

  // Tags that begin with the text, then those that contain it; both commonest first.
  function find(text) {
    const wanted = plain(text);
    if (!wanted || !known) return [];
    const begin = [];
    const contain = [];
    for (const entry of known.tags) {
      const at = plain(entry[0]).indexOf(wanted);
      if (at === 0) begin.push(entry);
      else if (at > 0) contain.push(entry);
      if (begin.length >= SHOWN) break;
    }
    return [...begin, ...contain].slice(0, SHOWN);
  }

  function plain(text) {
    return text.trim().toLowerCase().replace(/[\s_./:-]+/g, " ");
  }

  // The tags that a text names, the longest phrase first at each word; what is left over at its end may be unfinished.
  function named(text) {
    const words = plain(text).split(" ").filter(Boolean);
    const tags = [];
    let rest = [];
    for (let from = 0; from < words.length; ) {
      let to = words.length;
      while (to > from && !spellings.has(words.slice(from, to).join(" "))) to -= 1;
      if (to > from) {
        tags.push(spellings.get(words.slice(from, to).join(" ")));
        rest = [];
        from = to;
      } else {
        rest.push(words[from]);
        from += 1;
      }
    }
    return { tags, rest: rest.join(" ") };
  }

  // The tags before the word that is being typed, and what that may become.
  function completions(text) {
    const whole = find(text);
    if (whole.length) return { before: [], found: whole };
    const { tags, rest } = named(text);
    return { before: tags, found: rest ? find(rest) : [] };
  }

  function list(text) {
    const { before, found } = completions(text);
    document.getElementById("found").replaceChildren(...found.map(([tag, count]) => element("li", {}, element("a", { href: address([...before, tag]) }, [...before, tag].join(" "), element("small", {}, count.toLocaleString("en"))))));
    document.getElementById("announcement").textContent = text.trim() ? `${found.length} tags found` : "";
  }

  box.addEventListener("input", (event) => list(event.target.value));
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const { tags, rest } = named(box.value);
    const [best] = rest || !tags.length ? completions(box.value).found : [];
    const chosen = best ? [...completions(box.value).before, best[0]] : tags;
    if (chosen.length) location.hash = address(chosen);
  });
  addEventListener("hashchange", show);

  function taking(kind) {
    return (number, shard) => {
      loaded[kind].set(number, shard);
      show();
    };
  }

  return {
    tags(data) {
      known = data;
      places = new Map(data.tags.map(([tag], place) => [tag, place]));
      spellings = new Map(data.tags.map(([tag]) => [plain(tag), tag]).reverse()); // of several, the commonest
      show();
    },
    shard: taking("shards"),
    postings: taking("postings"),
    documents: taking("documents"),
  };
})();

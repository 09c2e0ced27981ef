// The search of a static site. It opens from plain files, so it fetches nothing: data comes as scripts that call `cotag`.
"use strict";

const cotag = (() => {
  const SHOWN = 10;
  const shards = new Map();
  const first = document.getElementById("results").innerHTML;
  let known = null;
  let places = new Map();

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function hue(concept) {
    return concept === null ? "" : known.concepts[concept][1];
  }

  function address(tag) {
    return `#${encodeURIComponent(tag)}`;
  }

  // The tag that the address names, or null.
  function asked() {
    try {
      const tag = decodeURIComponent(location.hash.slice(1));
      return places.has(tag) ? tag : null;
    } catch {
      return null;
    }
  }

  function show() {
    if (!known) return;
    const tag = asked();
    document.getElementById("found").replaceChildren();
    if (tag === null) {
      document.getElementById("results").innerHTML = first;
      return;
    }
    const place = places.get(tag);
    const number = Math.floor(place / known.shard);
    if (shards.has(number)) draw(tag, shards.get(number)[place % known.shard]);
    else if (!document.querySelector(`script[src="shards/${number}.js"]`)) document.head.append(element("script", { src: `shards/${number}.js` }));
  }

  function draw(tag, groups) {
    const [, count, concept] = known.tags[places.get(tag)];
    const about = element("div", { class: "about" }, element("h1", { tabindex: "-1" }, `Around ${tag}`));
    const having = `${count.toLocaleString("en")} ${count === 1 ? "document" : "documents"} with ${tag}`;
    const belongs = concept === null ? ["."] : ["; it belongs to ", element("a", { href: `concepts/${concept}.html` }, known.concepts[concept][0]), "."];
    about.append(element("p", { class: "quiet" }, having, ...belongs));
    const cards = (loose) => groups.filter(([, closing]) => Boolean(closing) === loose).map((group) => card(...group));
    document.getElementById("results").replaceChildren(about, element("div", { class: "groups" }, ...cards(false)), ...cards(true));
    document.getElementById("announcement").textContent = `${groups.length} groups around ${tag}`;
    document.title = tag;
    about.firstChild.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  function card(label, closing, tags, sizes) {
    const list = element("ul", { class: "tags" });
    tags.forEach((place, number) => {
      const [tag, count, concept, broad] = known.tags[place];
      const shown = count.toLocaleString("en");
      const documents = element("small", {}, concept === null ? shown : element("a", { href: `concepts/${concept}.html`, title: "Its concept" }, shown));
      list.append(element("li", { class: `w${sizes[number]} ${hue(concept)}${broad ? " broad" : ""}` }, element("a", { href: address(tag) }, tag), documents));
    });
    const colour = closing ? "also" : hue(known.tags[tags[0]][2]);
    return element("section", { class: `group ${colour}` }, element("h2", {}, label), list);
  }

  // Tags that begin with the text, then those that contain it; both commonest first.
  function find(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted || !known) return [];
    const begin = [];
    const contain = [];
    for (const entry of known.tags) {
      const at = entry[0].toLowerCase().indexOf(wanted);
      if (at === 0) begin.push(entry);
      else if (at > 0) contain.push(entry);
      if (begin.length >= SHOWN) break;
    }
    return [...begin, ...contain].slice(0, SHOWN);
  }

  function list(text) {
    const found = find(text);
    document.getElementById("found").replaceChildren(...found.map(([tag, count]) => element("li", {}, element("a", { href: address(tag) }, tag, element("small", {}, count.toLocaleString("en"))))));
    document.getElementById("announcement").textContent = text.trim() ? `${found.length} tags found` : "";
  }

  document.getElementById("q").addEventListener("input", (event) => list(event.target.value));
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const [best] = find(document.getElementById("q").value);
    if (best) location.hash = address(best[0]);
  });
  addEventListener("hashchange", show);

  return {
    tags(data) {
      known = data;
      places = new Map(data.tags.map(([tag], place) => [tag, place]));
      show();
    },
    shard(number, clouds) {
      shards.set(number, clouds);
      show();
    },
  };
})();

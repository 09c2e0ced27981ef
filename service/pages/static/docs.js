// Makes the examples of the API live: change the address, ask, look at the answer, copy the call as curl.

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function curl(address) {
  return `curl '${new URL(address, location.origin).href.replaceAll("'", "%27")}'`;
}

async function ask(address, output) {
  output.hidden = false;
  output.textContent = "…";
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  const text = await answer.text();
  const json = /json/.test(answer.headers.get("Content-Type") ?? "");
  output.textContent = `${answer.status} ${answer.statusText}\n${json ? JSON.stringify(JSON.parse(text), null, 2) : text}`;
}

for (const example of document.querySelectorAll(".try")) {
  const link = example.querySelector("a");
  const field = element("input", { value: link.getAttribute("href"), "aria-label": "Address", spellcheck: "false" });
  const tries = element("button", { type: "submit" }, "Try it");
  const copies = element("button", { type: "button", class: "plain" }, "Copy as curl");
  const output = element("pre", { tabindex: "0", role: "status", hidden: "" });
  const form = element("form", {}, field, tries, copies);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(field.value, output).catch((error) => (output.textContent = `The service could not be reached: ${error.message}`));
  });
  copies.addEventListener("click", async () => {
    if (navigator.clipboard) await navigator.clipboard.writeText(curl(field.value));
    output.hidden = false;
    output.textContent = curl(field.value);
    copies.textContent = navigator.clipboard ? "Copied" : "Copy as curl";
    setTimeout(() => (copies.textContent = "Copy as curl"), 2000);
  });
  example.replaceChildren(form, output);
}

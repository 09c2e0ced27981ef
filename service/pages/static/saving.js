// Saves a drawing as it is seen: styles are written into a copy, which then needs no style sheet.

const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-family", "font-size", "font-weight", "text-anchor"];

function standalone(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, number) => {
    const style = getComputedStyle(originals[number]);
    for (const name of KEPT) element.setAttribute(name, style.getPropertyValue(name));
    for (const { name } of [...element.attributes]) if (/^(data-|aria-|class$|tabindex$|role$|href$)/.test(name)) element.removeAttribute(name);
  });
  const [x, y, width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ x, y, width, height, fill: getComputedStyle(svg.parentElement).backgroundColor })) ground.setAttribute(name, value);
  copy.prepend(ground);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveSvg(svg, name) {
  save(new Blob([standalone(svg).text], { type: "image/svg+xml" }), name);
}

export async function savePng(svg, name, scale = 2) {
  const { text, width, height } = standalone(svg);
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    save(await new Promise((done) => canvas.toBlob(done, "image/png")), name);
  } finally {
    URL.revokeObjectURL(address);
  }
}

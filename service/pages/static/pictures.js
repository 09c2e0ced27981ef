// A picture that cannot be shown gives way to the title of its document, on a tinted tile.

function giveWay(image) {
  const name = document.createElement("span");
  name.className = "untaken";
  name.textContent = image.alt;
  image.replaceWith(name);
}

// Errors of pictures do not bubble; on their way down they can be caught.
document.addEventListener("error", (event) => event.target instanceof HTMLImageElement && giveWay(event.target), true);

for (const image of document.images) if (image.complete && !image.naturalWidth && image.getAttribute("src")) giveWay(image);

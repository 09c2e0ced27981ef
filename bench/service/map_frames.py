"""How smoothly the map moves with very many points, in Chromium; the points are made up, the page is the real one.

    python -m bench.service.map_frames --points 586279      # starts the demo; prints the figures

Each step moves the map by a few pixels and draws it whole. What is counted is the main thread's own work for a step: a
machine without a graphics card draws the points by its processor, which says little about one that has a card.
"""

import argparse
from contextlib import ExitStack
from typing import Final

import numpy as np
from playwright.sync_api import Route

from bench.service.first_page import chromium, demo_service

STEPS: Final = 60

MEASURE: Final = """async (steps) => {
  const canvas = document.querySelector("#sheet canvas");
  const own = [], whole = [];
  const pixel = new Uint8Array(4);
  const gl = canvas.getContext("webgl");
  for (let step = 0; step < steps; step++) {
    const begun = performance.now();
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: step % 2 ? "ArrowLeft" : "ArrowRight" }));
    await new Promise((next) => requestAnimationFrame(next));
    own.push(performance.now() - begun);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel); // waits until all is drawn
    whole.push(performance.now() - begun);
  }
  const hover = performance.now();
  canvas.dispatchEvent(new PointerEvent("pointermove", { pointerType: "mouse", clientX: 400, clientY: 400 }));
  const met = performance.now() - hover;
  const middle = (values) => values.sort((one, other) => one - other)[values.length >> 1];
  return { own: middle(own), whole: middle(whole), met };
}"""


def made_up(count: int) -> bytes:
    """Points in clouds, as `/map/points` sends them."""
    random = np.random.default_rng(7)
    concept = random.integers(0, 60, count)
    centres = random.uniform(0.1, 0.9, (60, 2))
    places = np.clip(centres[concept] + random.normal(0, 0.03, (count, 2)), 0, 1) * 65535
    return bytes(np.vstack([places.T, concept]).astype("<u2").tobytes())


def main() -> None:
    """Print milliseconds a step."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=586_279)
    parser.add_argument("--service", help="a running service with the demo; started otherwise")
    options = parser.parse_args()
    body = made_up(options.points)

    def answer(route: Route) -> None:
        route.fulfill(body=body, content_type="application/octet-stream")

    with ExitStack() as stack:
        url = options.service or stack.enter_context(demo_service())
        page = stack.enter_context(chromium()).new_page()
        page.route("**/map/points*", answer)
        page.goto(f"{url}/map?corpus=demo")
        page.locator("#sheet canvas").wait_for()
        found = page.evaluate(MEASURE, STEPS)
    print(
        f"{options.points:,} points: {found['own']:.1f} ms to the next frame, {found['whole']:.1f} ms until it is "
        f"drawn, {found['met']:.1f} ms to find the point below the pointer"
    )


if __name__ == "__main__":
    main()

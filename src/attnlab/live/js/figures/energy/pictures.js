// The pictures: one to spoil, what the memory makes of it, and all that are stored.

import { make, makeSvg } from "../../parts/elements.js";
import { rovingTabindex } from "../../parts/rove.js";
import { uid } from "../../shell/shelf.js";
import { SIDE_PIXELS } from "../../words/glyphs.js";

const PIXELS = SIDE_PIXELS * SIDE_PIXELS;

/** The cue, whose pixels are buttons. `onPaint(pixel, ink)` is to set one. */
export function cuePad({ onPaint }) {
  const buttons = Array.from({ length: PIXELS }, (_, k) => {
    const button = make("button.en-pixel", { type: "button" });
    button.addEventListener("click", (event) => {
      if (event.detail === 0) onPaint(k, !isInked(k)); // by the keyboard; a pointer paints
    });
    return button;
  });
  const grid = make("div.en-pixels", { role: "group" }, ...buttons);
  const title = make("p.en-heading");
  const element = make("div.en-picture", title, grid);
  let shown = null;
  const drawn = [];
  const isInked = (k) => shown[k] > 0;
  rovingTabindex(grid, ".en-pixel", { columns: SIDE_PIXELS, inRow: true })();
  enablePainting(grid, isInked, onPaint);

  function pixelLabel(k, differs) {
    const place = `Row ${Math.floor(k / SIDE_PIXELS) + 1}, column ${(k % SIDE_PIXELS) + 1}`;
    return `${place}: ${isInked(k) ? "ink" : "no ink"}${differs ? ", flipped" : ""}`;
  }

  function update(cue, wanted, text) {
    shown = cue;
    title.textContent = text;
    const keys = "arrow keys move, Enter or Space flips one";
    grid.setAttribute("aria-label", `${text}, 8 by 8 pixels; ${keys}`);
    paintPixels(buttons, cue, wanted, drawn, (button, k, differs) =>
      button.setAttribute("aria-label", pixelLabel(k, differs)),
    );
  }
  return { element, update };
}

// A pointer goes on with the ink that it began with.
function enablePainting(grid, inkAt, onPaint) {
  let brush = null;
  grid.addEventListener("pointerdown", (event) => {
    const k = pixelAt(grid, event);
    if (event.button !== 0 || k === null) return;
    grid.setPointerCapture(event.pointerId);
    brush = !inkAt(k);
    onPaint(k, brush);
  });
  grid.addEventListener("pointermove", (event) => {
    const k = brush === null ? null : pixelAt(grid, event);
    if (k !== null && inkAt(k) !== brush) onPaint(k, brush);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    grid.addEventListener(end, () => {
      brush = null;
    });
  }
}

function pixelAt(grid, event) {
  const box = grid.getBoundingClientRect();
  const column = Math.floor((SIDE_PIXELS * (event.clientX - box.left)) / box.width);
  const row = Math.floor((SIDE_PIXELS * (event.clientY - box.top)) / box.height);
  return column >= 0 && column < SIDE_PIXELS && row >= 0 && row < SIDE_PIXELS
    ? row * SIDE_PIXELS + column
    : null;
}

// Give the pixels their ink, and a cross where the sign is not the wanted one. `drawn` is
// what they have: only those that change are touched.
function paintPixels(pixels, state, wanted, drawn, onChange = () => {}) {
  pixels.forEach((pixel, k) => {
    const ink = ((state[k] + 1) / 2).toFixed(3);
    const differs = state[k] * wanted[k] <= 0;
    if (drawn[k] === `${ink} ${differs}`) return;
    drawn[k] = `${ink} ${differs}`;
    pixel.style.setProperty("--ink", ink);
    pixel.classList.toggle("differs", differs);
    onChange(pixel, k, differs);
  });
}

/** The state after a step. Where its sign is not the wanted picture's, it has a cross. */
export function statePicture() {
  const pixels = Array.from({ length: PIXELS }, () => make("span.en-pixel"));
  const grid = make("div.en-pixels", { role: "img" }, ...pixels);
  const title = make("p.en-heading");
  const element = make("div.en-picture", title, grid);
  const drawn = [];

  function update(state, wanted, text) {
    title.textContent = text;
    const wrong = wanted.filter((ink, k) => state[k] * ink <= 0).length;
    paintPixels(pixels, state, wanted, drawn);
    grid.setAttribute(
      "aria-label",
      `${text}: the signs of ${wrong} of ${PIXELS} pixels differ from the stored picture`,
    );
  }
  return { element, update };
}

/**
 * All pictures, those stored with a bar each; a radio button takes one as the cue.
 * `update(state)`: pictures, names, stored, picture, shares (one a stored picture) and title.
 */
export function pictureTiles({ onPicture }) {
  const group = uid("tiles");
  const legend = make("legend.en-heading");
  const box = make("div.en-tilebox");
  const element = make("fieldset.en-tiles", legend, box);
  let tiles = [];
  let drawn = null;

  function build(pictures, names) {
    tiles = pictures.map((pixels, i) => {
      const input = make("input", { type: "radio", name: group, value: i });
      input.addEventListener("change", () => onPicture(i));
      const share = make("data.en-share");
      const name = make("span", names[i]);
      const label = make(
        "label.al-tile.en-tile",
        input,
        name,
        thumbnail(pixels),
        make("span.en-bar", { "aria-hidden": "true" }),
        share,
      );
      return { input, label, share };
    });
    box.replaceChildren(...tiles.map(({ label }) => label));
  }

  function update({ pictures, names, stored, picture, shares, shareText, title }) {
    if (drawn !== pictures) build(pictures, names);
    drawn = pictures;
    legend.textContent = title;
    tiles.forEach(({ input, label, share }, i) => {
      const kept = i < stored;
      input.checked = i === picture;
      input.disabled = !kept;
      label.classList.toggle("absent", !kept);
      label.style.setProperty("--share", kept ? shares[i].toFixed(4) : 0);
      share.value = kept ? shares[i].toFixed(6) : "";
      share.textContent = kept ? shareText(shares[i]) : "–";
    });
  }
  return { element, update };
}

function thumbnail(pixels) {
  const d = pixels
    .map((ink, k) => (ink > 0 ? `M${k % SIDE_PIXELS} ${Math.floor(k / SIDE_PIXELS)}h1v1h-1z` : ""))
    .join("");
  return makeSvg(
    "svg.en-thumb",
    { viewBox: `-1 -1 ${SIDE_PIXELS + 2} ${SIDE_PIXELS + 2}`, "aria-hidden": "true" },
    makeSvg("path", { d }),
  );
}

// The pictures: one to spoil, what the memory makes of it, and all that are stored.

import { make, makeSvg } from "../../parts/elements.js";
import { uid } from "../../shell/shelf.js";
import { SIDE } from "../../words/glyphs.js";
import { percent } from "../../words/phrases.js";

const PIXELS = SIDE * SIDE;

/** The cue, whose pixels are buttons. `onPixels(pixels, ink)` is to set them. */
export function cuePad({ onPixels }) {
  const buttons = Array.from({ length: PIXELS }, (_, k) => {
    const button = make("button", { type: "button", class: "en-pixel", tabindex: k ? -1 : 0 });
    button.addEventListener("keydown", (event) => onKey(event, k));
    button.addEventListener("click", (event) => {
      if (event.detail === 0) onPixels([k], !inkAt(k)); // by the keyboard; a pointer paints
    });
    return button;
  });
  const grid = make("div", { class: "en-pixels", role: "group" }, ...buttons);
  const title = make("p", { class: "en-heading" });
  const element = make("div", { class: "en-picture" }, title, grid);
  let brush = null; // the ink that a pressed pointer lays on
  let shown = null;
  const drawn = [];

  const inkAt = (k) => shown[k] > 0;

  function pixelAt(event) {
    const box = grid.getBoundingClientRect();
    const [column, row] = [
      (event.clientX - box.left) / box.width,
      (event.clientY - box.top) / box.height,
    ].map((share) => Math.floor(share * SIDE));
    return column >= 0 && column < SIDE && row >= 0 && row < SIDE ? row * SIDE + column : null;
  }
  grid.addEventListener("pointerdown", (event) => {
    const k = pixelAt(event);
    if (event.button !== 0 || k === null) return;
    grid.setPointerCapture(event.pointerId);
    brush = !inkAt(k);
    onPixels([k], brush);
  });
  grid.addEventListener("pointermove", (event) => {
    const k = brush === null ? null : pixelAt(event);
    if (k !== null && inkAt(k) !== brush) onPixels([k], brush);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    grid.addEventListener(end, () => {
      brush = null;
    });
  }

  // One stop of the Tab key, arrows between pixels.
  function onKey(event, k) {
    const [row, column] = [Math.floor(k / SIDE), k % SIDE];
    const to = {
      ArrowLeft: column > 0 && k - 1,
      ArrowRight: column < SIDE - 1 && k + 1,
      ArrowUp: row > 0 && k - SIDE,
      ArrowDown: row < SIDE - 1 && k + SIDE,
      Home: row * SIDE,
      End: row * SIDE + SIDE - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to === false) return;
    buttons[k].setAttribute("tabindex", -1);
    buttons[to].setAttribute("tabindex", 0);
    buttons[to].focus();
  }

  function show(cue, wanted, text) {
    shown = cue;
    title.textContent = text;
    grid.setAttribute(
      "aria-label",
      `${text}, 8 by 8 pixels; arrow keys move, Enter or Space flips one`,
    );
    dye(buttons, cue, wanted, drawn, (button, k, differs) => {
      button.setAttribute(
        "aria-label",
        `Row ${Math.floor(k / SIDE) + 1}, column ${(k % SIDE) + 1}: `
          + `${inkAt(k) ? "ink" : "no ink"}${differs ? ", flipped" : ""}`,
      );
    });
  }
  return { element, show };
}

// Give the pixels their ink, and a cross where the sign is not the wanted one. `drawn` is
// what they have: only those that change are touched.
function dye(pixels, state, wanted, drawn, onChange = () => {}) {
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
  const pixels = Array.from({ length: PIXELS }, () => make("span", { class: "en-pixel" }));
  const grid = make("div", { class: "en-pixels", role: "img" }, ...pixels);
  const title = make("p", { class: "en-heading" });
  const element = make("div", { class: "en-picture" }, title, grid);
  const drawn = [];

  function show(state, wanted, text) {
    title.textContent = text;
    const wrong = wanted.filter((ink, k) => state[k] * ink <= 0).length;
    dye(pixels, state, wanted, drawn);
    grid.setAttribute(
      "aria-label",
      `${text}: the signs of ${wrong} of ${PIXELS} pixels differ from the stored picture`,
    );
  }
  return { element, show };
}

/**
 * All pictures, those stored with a bar each; a radio button takes one as the cue.
 * `show(state)`: pictures, names, stored, picture, shares (one a stored picture) and title.
 */
export function pictureTiles({ onPicture }) {
  const group = uid("tiles");
  const legend = make("legend", { class: "en-heading" });
  const box = make("div", { class: "en-tilebox" });
  const element = make("fieldset", { class: "en-tiles" }, legend, box);
  let tiles = [];
  let drawn = null;

  function build(pictures, names) {
    tiles = pictures.map((pixels, i) => {
      const input = make("input", { type: "radio", name: group, value: i });
      input.addEventListener("change", () => onPicture(i));
      const share = make("data", { class: "en-share" });
      const name = make("span", { class: "en-name" }, names[i]);
      const label = make(
        "label",
        { class: "en-tile" },
        input,
        name,
        thumbnail(pixels),
        make("span", { class: "en-bar", "aria-hidden": "true" }),
        share,
      );
      return { input, label, share };
    });
    box.replaceChildren(...tiles.map(({ label }) => label));
  }

  function show({ pictures, names, stored, picture, shares, title, asPercent }) {
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
      share.textContent = !kept ? "–" : asPercent ? percent(shares[i]) : weightText(shares[i]);
    });
  }
  return { element, show };
}

function thumbnail(pixels) {
  const d = pixels
    .map((ink, k) => (ink > 0 ? `M${k % SIDE} ${Math.floor(k / SIDE)}h1v1h-1z` : ""))
    .join("");
  return makeSvg(
    "svg",
    { class: "en-thumb", viewBox: `-1 -1 ${SIDE + 2} ${SIDE + 2}`, "aria-hidden": "true" },
    makeSvg("path", { d }),
  );
}

/** A weight that is neither 0 nor 1 is not written so. */
export function weightText(weight) {
  if (weight > 0 && weight < 0.005) return "<.01";
  if (weight < 1 && weight >= 0.995) return ">.99";
  return weight.toFixed(2);
}

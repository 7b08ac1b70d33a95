// A figure's state in the page's address, for a link that shows others the same.

import { textButton } from "./buttons.js";

/**
 * A button that copies a link to the figure as it stands. `accepts` has, for each trait that
 * the link holds, a function from its text to its value, undefined if it is none; a trait
 * that is null is left out, and its text is "". A page that was opened by such a link shows
 * what it holds. With a kernel there is no page to link to, and null is returned.
 *
 * The link ends in "#cutwire-1--number-2487--place-5", of the first such figure of the page:
 * letters, digits and hyphens alone, so that it can be looked up as the name of an element.
 */
export function linkButton({ model, el, traits, accepts }) {
  if (model.send) return null;
  const figure = el.closest("figure");
  const { figure: kind } = figure.dataset;
  const all = [...document.querySelectorAll(`[data-figure="${kind}"]`)];
  const name = `${kind}-${all.indexOf(figure) + 1}`;
  const [called, ...parts] = location.hash.slice(1).split("--");
  if (called === name) {
    traits.change(parseParts(parts, accepts));
    requestAnimationFrame(() => figure.scrollIntoView());
  }

  const button = textButton("Copy link", async () => {
    const held = Object.entries(traits.read()).filter(([, value]) => value !== null);
    const hash = [name, ...held.map(([trait, value]) => `${trait}-${value}`)].join("--");
    history.replaceState(history.state, "", `#${hash}`);
    button.textContent = (await copyToClipboard(location.href)) ? "Copied" : "In the address";
  });
  traits.follow(() => (button.textContent = "Copy link"));
  return button;
}

/** Accepts a whole number up to `most`. */
export function parseWholeUpTo(most) {
  return (text) => (/^\d{1,12}$/.test(text) && Number(text) <= most ? Number(text) : undefined);
}

/** Accepts one of these values. */
export function parseOneOf(values) {
  return (text) => values.find((value) => String(value) === text);
}

function parseParts(parts, accepts) {
  const texts = new Map(parts.map((part) => part.match(/^([^-]*)-?(.*)$/s).slice(1)));
  const values = Object.entries(accepts).map(([trait, read]) => [
    trait,
    read(texts.get(trait) ?? ""),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

// Not every page may write to the clipboard.
async function copyToClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

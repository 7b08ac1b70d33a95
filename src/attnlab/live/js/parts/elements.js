// Elements of the page, made with their classes, attributes and children.

/**
 * An element, as `make("p.al-note.wide", { hidden: true }, "text", child)`: its tag and
 * classes, its attributes if it has more, its children. Strings become text nodes, never
 * markup, so what a reader types cannot become part of the page's code.
 */
export function make(name, ...parts) {
  return fillIn(document.createElement(tagOf(name)), name, parts);
}

/** The same for SVG. */
export function makeSvg(name, ...parts) {
  return fillIn(document.createElementNS("http://www.w3.org/2000/svg", tagOf(name)), name, parts);
}

function tagOf(name) {
  return name.split(".", 1)[0];
}

function fillIn(element, name, parts) {
  const classes = name.split(".").slice(1);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  const hasAttributes = parts[0]?.constructor === Object;
  if (hasAttributes) setAttributes(element, parts[0]);
  element.append(...(hasAttributes ? parts.slice(1) : parts));
  return element;
}

/** Attributes by name; false, null and undefined leave one out, true gives it no value. */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
}

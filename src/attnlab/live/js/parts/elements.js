// Elements of the page, made with their attributes and children.

/**
 * An element with attributes and children. Strings become text nodes, never markup, so
 * what a reader types cannot become part of the page's code.
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** The same for SVG. */
export function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/** Attributes by name; false, null and undefined leave one out, true gives it no value. */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
}

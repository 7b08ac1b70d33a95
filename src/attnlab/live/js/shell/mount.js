// Mounts a figure in a page without a kernel (`mountPage`) or in a notebook with one
// (`mountView`), so that the figure itself need not know which.
//
// A figure is a module `figures/NAME/NAME.js` that exports one function, `render`:
//
//     export function render({ model, el, say, signal }) { … }
//
// model   the figure's traits: get(name), set(name, value), on("change:name", callback),
//         off("change:name", callback), save_changes(). Same with and without a kernel.
// el      the empty element to draw in.
// say     say(text) puts what the picture shows into words, for screen readers.
// signal  an AbortSignal, aborted when the view is removed: for listeners on window.

import { followTheme } from "./theme.js";
import { createTour } from "./tour.js";
import { PageModel, listenUntil } from "./traits.js";

// Called by the script in the HTML that `LiveFigure` writes.
export function mountPage(figure, render, state) {
  return fillFigure(figure, render, new PageModel(state));
}

// Called by anywidget for every view of a widget.
export function mountView({ model, el }, render) {
  const figure = document.createElement("figure");
  figure.className = "attnlab-live";
  figure.dataset.figure = model.get("_frame").figure;
  el.append(figure);
  return fillFigure(figure, render, model);
}

function fillFigure(figure, render, model) {
  const { title, caption, description, tour } = model.get("_frame");
  const el = element("div", "attnlab-body", "");
  const status = element("p", "attnlab-status", description);
  status.setAttribute("role", "status");
  figure.replaceChildren(
    element("p", "attnlab-title", title),
    el,
    status,
    element("figcaption", "", caption),
  );
  const say = (text) => {
    if (status.textContent !== text) status.textContent = text;
  };
  const controller = new AbortController();
  const { signal } = controller;
  followTheme(figure, signal);
  try {
    render({ model: listenUntil(signal, model), el, say, signal });
    const guide = createTour(figure, model, tour, signal);
    if (guide) el.before(guide);
  } catch (error) {
    console.error(error);
    say(`This figure could not be drawn: ${error.message}`);
  }
  return () => controller.abort();
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

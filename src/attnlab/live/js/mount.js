// Mounts a figure in a page without a kernel (`mountPage`) or in a notebook with one
// (`mountView`), so that the figure itself need not know which.
//
// A figure is a module `js/NAME.js` that exports one function, `renderNAME`:
//
//     export function renderHero({ model, el, say, assets, signal }) { … }
//
// model   the figure's traits: get(name), set(name, value), on("change:name", callback),
//         off("change:name", callback), save_changes(). Same with and without a kernel.
// el      the empty element to draw in.
// say     say(text) puts what the picture shows into words, for screen readers.
// assets  assets.model(name) is a promise of a trained model; assets.ready(name) is that
//         model if it is at hand already, else null.
// signal  an AbortSignal, aborted when the view is removed: for listeners on window.

import { makeModel } from "./seq2seq.js";

// What all figures of a page share, each of which is a module of its own.
const shelf = (globalThis.attnlabShelf ??= { texts: new Map(), models: new Map(), ids: 0 });

// Weights that are not in the page come as scripts, which call this function. (From
// file:// a browser lets a page load neither data nor modules, but it does run scripts.)
globalThis.attnlabWeights = (name, base64) => shelf.texts.set(name, base64);

// An id that no other element of the page has.
export function uid(prefix = "attnlab") {
  shelf.ids += 1;
  return `${prefix}-${shelf.ids}`;
}

// Called by the script in the HTML that `LiveFigure` writes.
export function mountPage(figure, render, state) {
  const model = new PageModel(state);
  return fillFigure(figure, render, model, pageAssets(state._weights));
}

// Called by anywidget for every view of a widget.
export function mountView({ model, el }, render) {
  const figure = document.createElement("figure");
  figure.className = "attnlab-live";
  figure.dataset.figure = model.get("_frame").figure;
  el.append(figure);
  return fillFigure(figure, render, model, kernelAssets(model));
}

function fillFigure(figure, render, model, assets) {
  const { title, caption, description } = model.get("_frame");
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
    render({ model: listenUntil(signal, model), el, say, assets, signal });
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

// The model, but what a view listens to ends with the view.
function listenUntil(signal, model) {
  return {
    get: (name) => model.get(name),
    set: (name, value) => model.set(name, value),
    save_changes: () => model.save_changes(),
    off: (event, callback) => model.off(event, callback),
    on(event, callback) {
      model.on(event, callback);
      signal.addEventListener("abort", () => model.off(event, callback));
    },
  };
}

// Stands in for anywidget's model where there is no kernel.
class PageModel {
  constructor(state) {
    this.state = new Map(Object.entries(state));
    this.callbacks = new Map();
  }

  get(name) {
    return this.state.get(name);
  }

  set(name, value) {
    const before = this.state.get(name);
    if (JSON.stringify(before) === JSON.stringify(value)) return;
    this.state.set(name, value);
    for (const callback of [...(this.callbacks.get(`change:${name}`) ?? [])]) callback();
  }

  on(event, callback) {
    if (!this.callbacks.has(event)) this.callbacks.set(event, new Set());
    this.callbacks.get(event).add(callback);
  }

  off(event, callback) {
    this.callbacks.get(event)?.delete(callback);
  }

  save_changes() {}
}

// Light or dark ----------------------------------------------------------------------

function followTheme(figure, signal) {
  const update = () => {
    const theme = pageTheme();
    if (figure.dataset.theme === theme) return;
    figure.dataset.theme = theme;
    figure.dispatchEvent(new Event("themechange"));
  };
  const observer = new MutationObserver(update);
  observer.observe(document.documentElement, { attributes: true });
  observer.observe(document.body, { attributes: true });
  signal.addEventListener("abort", () => observer.disconnect());
  update();
}

function pageTheme() {
  const { documentElement: root, body } = document;
  const dark =
    root.dataset.theme === "dark" || // the built book
    body.dataset.jpThemeLight === "false" || // Jupyter
    root.getAttribute("theme") === "dark" || // Colab
    body.classList.contains("vscode-dark");
  return dark ? "dark" : "light";
}

// Weights ----------------------------------------------------------------------------

function pageAssets(inlined) {
  return makeAssets(inlined, async (name) => {
    if (!shelf.texts.has(name)) await loadScript(name);
    return shelf.texts.get(name);
  });
}

function kernelAssets(widget) {
  return makeAssets(widget.get("_weights"), (name) => askKernel(widget, name));
}

// `fetchWeights(name)` is asked for what is neither inlined nor on the shelf. Weights are
// base64 text or a buffer.
function makeAssets(inlined, fetchWeights) {
  const here = (name) => (Object.hasOwn(inlined, name) ? inlined[name] : null);
  const ready = (name) => {
    const known = shelf.models.get(name);
    if (known || here(name) === null) return known ?? null;
    try {
      return keepModel(name, here(name));
    } catch {
      return null; // why, `model` says
    }
  };
  const model = async (name) => ready(name) ?? keepModel(name, here(name) ?? (await fetchWeights(name)));
  return { ready, model };
}

function keepModel(name, weights) {
  try {
    const model = makeModel(typeof weights === "string" ? bufferFromBase64(weights) : weights);
    shelf.models.set(name, model);
    return model;
  } catch (error) {
    shelf.texts.delete(name); // so that asking once more loads them once more
    throw new Error(`The weights “${name}” are damaged (${error.message}). `
      + "Load the page again; if that does not help, build the book or install its package again.");
  }
}

function bufferFromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

function loadScript(name) {
  return new Promise((resolve, reject) => {
    // Sphinx writes the way from the page to the book's root into every page.
    const root = document.documentElement.dataset.content_root ?? "";
    const fail = () =>
      reject(new Error(`The weights “${name}” are neither in this page nor beside it. `
        + "Copy the folder _static/attnlab-weights along with the page, or build the book again."));
    const script = document.createElement("script");
    script.src = `${root}_static/attnlab-weights/${encodeURIComponent(name)}.js`;
    script.onload = () => (shelf.texts.has(name) ? resolve() : fail());
    script.onerror = fail;
    document.head.append(script);
  });
}

function askKernel(widget, name) {
  return new Promise((resolve, reject) => {
    const answer = (message, buffers) => {
      if (message.weights !== name) return;
      widget.off("msg:custom", answer);
      if (message.error) reject(new Error(message.error));
      else resolve(copyBuffer(buffers[0]));
    };
    widget.on("msg:custom", answer);
    widget.send({ weights: name });
  });
}

// A message's buffer may be a window into a larger one, at any offset.
function copyBuffer(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice().buffer;
}

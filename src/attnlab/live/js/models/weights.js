// Trained models: their weights come with the page, from beside it, or from the kernel.

import { shelf } from "../shell/shelf.js";
import { makeModel } from "./stored.js";

const KERNEL_TIMEOUT = 30_000; // milliseconds that a kernel has to answer

// Weights that are not in the page come as scripts, which call this function. (From
// file:// a browser lets a page load neither data nor modules, but it does run scripts.)
globalThis.attnlabWeights = (name, base64) => shelf.texts.set(name, base64);

/**
 * Of the figure whose traits these are: `load(name)` is a promise of a trained model,
 * `cachedModel(name)` that model if it is at hand already, else null.
 */
export function trainedModels(traits) {
  const inlined = traits.get("_weights");
  const inlinedWeights = (name) => (Object.hasOwn(inlined, name) ? inlined[name] : null);

  function cachedModel(name) {
    const known = shelf.models.get(name);
    if (known || inlinedWeights(name) === null) return known ?? null;
    try {
      return cacheModel(name, inlinedWeights(name));
    } catch {
      return null; // why, `load` says
    }
  }

  async function load(name) {
    return (
      cachedModel(name)
      ?? cacheModel(name, inlinedWeights(name) ?? (await fetchWeights(traits, name)))
    );
  }
  return { ready: cachedModel, load };
}

/** The text of a program that comes when it is asked for, in the way that weights come. */
export async function fetchProgram(traits, name) {
  const found = await fetchWeights(traits, name);
  const bytes = typeof found === "string" ? bufferFromBase64(found) : found;
  return new TextDecoder().decode(bytes);
}

// Base64 text or, from a kernel, a buffer.
async function fetchWeights(traits, name) {
  if (traits.send) return askKernel(traits, name);
  if (!shelf.texts.has(name)) await loadScript(name);
  return shelf.texts.get(name);
}

function cacheModel(name, weights) {
  try {
    const model = makeModel(typeof weights === "string" ? bufferFromBase64(weights) : weights);
    shelf.models.set(name, model);
    return model;
  } catch (error) {
    shelf.texts.delete(name); // so that asking once more loads them once more
    const advice =
      "Load the page again; if that does not help, build the book or install its package again.";
    throw new Error(`The weights “${name}” are damaged (${error.message}). ${advice}`, {
      cause: error,
    });
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
    const root = document.documentElement.dataset.content_root;
    const advice =
      root === undefined
        ? "In a notebook, run this cell."
        : "Copy the folder _static/attnlab-weights along with the page, or build the book again.";
    const rejectLoad = () =>
      reject(new Error(`The weights “${name}” are neither in this page nor beside it. ${advice}`));
    const script = document.createElement("script");
    script.src = `${root ?? ""}_static/attnlab-weights/${encodeURIComponent(name)}.js`;
    script.onload = () => (shelf.texts.has(name) ? resolve() : rejectLoad());
    script.onerror = rejectLoad;
    document.head.append(script);
  });
}

function askKernel(traits, name) {
  return new Promise((resolve, reject) => {
    const onAnswer = (message, buffers) => {
      if (message.weights !== name) return;
      traits.off("msg:custom", onAnswer);
      clearTimeout(timeout);
      if (message.error) reject(new Error(message.error));
      else resolve(copyBuffer(buffers[0]));
    };
    // No kernel at all, as in a notebook that was just opened, says nothing either.
    const timeout = setTimeout(() => {
      traits.off("msg:custom", onAnswer);
      reject(new Error("The notebook does not answer. Once it is idle, run this cell again."));
    }, KERNEL_TIMEOUT);
    traits.on("msg:custom", onAnswer);
    traits.send({ weights: name });
  });
}

// A message's buffer may be a window into a larger one, at any offset.
function copyBuffer(view) {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice().buffer;
}

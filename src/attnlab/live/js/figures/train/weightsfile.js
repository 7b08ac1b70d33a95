// Weights from a file, of the figure's own or of attnlab.saved.

import { parseSafetensors } from "../../models/safetensors.js";
import { checkedSettings } from "./link.js";

const MAX_BYTES = 20_000_000; // more than the largest model of the figure has

/**
 * What a file holds: { name, tensors, about, settings }, the settings those that its model was
 * trained by, or null if it does not say. Throws in words what is wrong with it.
 */
export async function readWeights(file, limits) {
  if (file.size > MAX_BYTES) throw new Error(`${file.name} is too large for a model from here.`);
  const bytes = await file.arrayBuffer();
  try {
    const { tensors, metadata } = parseSafetensors(bytes);
    const { settings, ...about } = JSON.parse(metadata.attnlab);
    const known = settings ? checkedSettings(settings, limits) : null;
    return { name: file.name, tensors, about, settings: known ?? null };
  } catch (error) {
    throw new Error(`${file.name} is no file of weights: ${error.message}.`, { cause: error });
  }
}

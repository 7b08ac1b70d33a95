// Which settings have a meaning beside the others.

const OF_ATTENTION = ["layers", "heads", "inner", "positions", "scale", "residual"];

/** Whether a task and a model have such a setting at all. */
export function applies(name, { task, model, inner }) {
  if (name === "language") return task === "numerals" || task === "places";
  if (name === "score" || name === "reads") return model === "gru";
  if (name === "sees") return model === "reader";
  if (name === "norm") return model === "transformer";
  if (name === "activation") return model !== "gru" && inner > 0;
  return model !== "gru" || !OF_ATTENTION.includes(name);
}

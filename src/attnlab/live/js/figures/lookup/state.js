// The state of a look-up, and all that may change it.

import { traitsOf } from "../../shell/traits.js";
import { formatNumber } from "../../words/phrases.js";
import { pointText, vectorName } from "./words.js";

/**
 * The traits and their `limits`, and beside them `chosen`, the query whose steps are shown,
 * `news`, what the reader changed last, in words. `onChange` is called after every change.
 */
export function lookupState(model, onChange) {
  const traits = traitsOf(model, ["query", "key", "value", "temperature", "scale", "mask"]);
  const { limits } = model.get("_frame");
  const atFirst = traits.read();
  let chosen = 0;
  let news = "";
  traits.follow(() => {
    news = "";
    onChange();
  });

  function now() {
    const { query, ...others } = traits.read();
    return { ...others, query, chosen: Math.min(chosen, query.length - 1), news };
  }

  function change(text, values) {
    traits.change(values);
    news = text;
    onChange();
  }

  function choose(index) {
    if (index === now().chosen) return;
    chosen = index;
    news = "";
    onChange();
  }

  /** Put a vector of the `kind` query or key somewhere else. */
  function move(kind, index, vector) {
    if (kind === "query") chosen = index;
    const text = `${vectorName(kind, index)} at ${pointText(vector)}`;
    change(text, { [kind]: model.get(kind).with(index, vector) });
  }

  function setValue(index, number) {
    const text = `The value of key ${index + 1} is ${formatNumber(number)}`;
    change(text, { value: model.get("value").with(index, number) });
  }

  function setMask(i, j, seen) {
    const mask = model.get("mask");
    const text = `Query ${i + 1} may ${seen ? "" : "not "}see key ${j + 1}`;
    change(text, { mask: mask.with(i, mask[i].with(j, seen)) });
  }

  function setTemperature(temperature) {
    change(`Temperature ${temperature}`, { temperature });
  }

  function setScale(scale) {
    change(`The scores are ${scale ? "" : "not "}divided by √d`, { scale });
  }

  function startAgain() {
    chosen = 0;
    change("As it was at first", atFirst);
  }
  const changes = { choose, move, setValue, setMask, setTemperature, setScale, startAgain };
  return { limits, now, ...changes };
}

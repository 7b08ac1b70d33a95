// The state of the sampling figure, and all that may change it.

import { isEnd } from "../../models/writer.js";
import { traitsOf } from "../../shell/traits.js";

const SAMPLING_TRAITS = ["text", "written", "temperature", "top_k", "top_p", "seed"];

/** `onChange` is called after every change. */
export function samplingState(model, onChange) {
  const traits = traitsOf(model, SAMPLING_TRAITS);
  const { limits, stored } = model.get("_frame");
  traits.follow(onChange);

  function now() {
    const found = traits.read();
    const ended = found.written.length > 0 && isEnd(found.written.at(-1));
    return { ...found, ended, full: found.written.length >= limits.written };
  }

  const change = (values) => traits.change(values);
  const begin = (text) => change({ text, written: [] });
  function choose(id) {
    const { written, ended, full } = now();
    if (!ended && !full) change({ written: [...written, id] });
  }
  const takeBack = () => change({ written: now().written.slice(0, -1) });
  return { limits, stored, now, change, begin, choose, takeBack };
}

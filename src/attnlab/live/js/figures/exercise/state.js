// The state of an exercise: what is typed, and what of it has been checked.

import { recordStore } from "../../shell/records.js";
import { questionOf } from "./judging.js";
import { readAnswer, typedAnswer } from "./reading.js";

const EXERCISE_RECORDS = recordStore("exercise");

/**
 * `asked` is fixed. `now()` has `typed`, `answer` (what was checked last, or null), whether
 * what is typed has `changed` since, and whether the browser has `stored` it. `type(text)`
 * takes what is typed, `check()` checks it and returns what is wrong with the typing, or "";
 * `clear()` forgets the answer. `onChange` is called after every change.
 */
export function exerciseState(model, signal, onChange) {
  const asked = questionOf(model);
  let typed = "";
  let checked = ""; // what was typed when it was checked
  let stored = true;

  const now = () => ({
    typed,
    checked,
    answer: model.get("answer"),
    changed: typed.trim() !== checked,
    stored,
  });
  function type(text) {
    typed = text;
    onChange();
  }
  function setAnswer(answer, text) {
    typed = checked = text;
    model.set("answer", answer);
    model.save_changes();
    onChange();
  }
  function check() {
    const { answer, error } = readAnswer(asked, typed);
    if (error) return error;
    const text = typed.trim();
    setAnswer(answer, text);
    stored = EXERCISE_RECORDS.keep(asked.number, { typed: text });
    onChange();
    return "";
  }
  function clear() {
    setAnswer(null, "");
    stored = EXERCISE_RECORDS.keep(asked.number, null);
    onChange();
  }
  // What the browser knows counts, where it is an answer to what is asked now.
  function adopt() {
    const text = EXERCISE_RECORDS.find(asked.number)?.typed;
    if (text === checked || (text === undefined && !checked)) return;
    const { answer } = typeof text === "string" ? readAnswer(asked, text) : {};
    if (answer !== undefined) setAnswer(answer, text);
    else if (text === undefined) setAnswer(null, "");
  }
  // From Python, or from another view of the same widget.
  function follow() {
    const answer = model.get("answer");
    const known = checked ? readAnswer(asked, checked).answer : null;
    if (JSON.stringify(known) === JSON.stringify(answer)) return;
    typed = checked = answer === null ? "" : typedAnswer(asked, answer);
    onChange();
  }
  follow();
  if (model.get("answer") === null) adopt();
  EXERCISE_RECORDS.follow(signal, adopt);
  model.on("change:answer", follow);
  return { asked, now, type, check, clear };
}

// The state of an exercise: what is typed, and what of it has been checked.

import { recordStore } from "../../shell/records.js";
import { readQuestion } from "./judging.js";
import { parseAnswer, formatAnswer } from "./reading.js";

const EXERCISE_RECORDS = recordStore("exercise");

/**
 * `asked` is fixed. `now()` has `typed`, `answer` (what was checked last, or null), whether
 * what is typed has `changed` since, and whether the browser has `stored` it. `setTyped(text)`
 * takes what is typed, `checkAnswer()` checks it and returns what is wrong with the typing, or "";
 * `clearAnswer()` forgets the answer. `onChange` is called after every change.
 */
export function exerciseState(model, signal, onChange) {
  const asked = readQuestion(model);
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
  function setTyped(text) {
    typed = text;
    onChange();
  }
  function setAnswer(answer, text) {
    typed = checked = text;
    model.set("answer", answer);
    model.save_changes();
    onChange();
  }
  function checkAnswer() {
    const { answer, error } = parseAnswer(asked, typed);
    if (error) return error;
    const text = typed.trim();
    setAnswer(answer, text);
    stored = EXERCISE_RECORDS.keep(asked.number, { typed: text });
    onChange();
    return "";
  }
  function clearAnswer() {
    setAnswer(null, "");
    stored = EXERCISE_RECORDS.keep(asked.number, null);
    onChange();
  }
  // What the browser knows counts, where it is an answer to what is asked now.
  function adoptRecord() {
    const text = EXERCISE_RECORDS.find(asked.number)?.typed;
    if (text === checked || (text === undefined && !checked)) return;
    const { answer } = typeof text === "string" ? parseAnswer(asked, text) : {};
    if (answer !== undefined) setAnswer(answer, text);
    else if (text === undefined) setAnswer(null, "");
  }
  // From Python, or from another view of the same widget.
  function followTrait() {
    const answer = model.get("answer");
    const known = checked ? parseAnswer(asked, checked).answer : null;
    if (JSON.stringify(known) === JSON.stringify(answer)) return;
    typed = checked = answer === null ? "" : formatAnswer(asked, answer);
    onChange();
  }
  followTrait();
  if (model.get("answer") === null) adoptRecord();
  EXERCISE_RECORDS.follow(signal, adoptRecord);
  model.on("change:answer", followTrait);
  return { asked, now, type: setTyped, check: checkAnswer, clear: clearAnswer };
}

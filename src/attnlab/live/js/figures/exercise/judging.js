// What is wrong with an answer. Python's `difference` and `find_hint` say the same, in
// attnlab/exercises/checking.py.

/** What is asked for: the kind, and what an answer is held against. */
export function readQuestion(model) {
  const bytes = Uint8Array.from(atob(model.get("sealed")), (letter) => letter.charCodeAt(0));
  return {
    number: model.get("number"),
    kind: model.get("kind"),
    choices: model.get("choices"),
    largest: model.get("_frame").limits.answer,
    ...JSON.parse(new TextDecoder().decode(bytes)),
  };
}

/** What came of an answer, in words; null is no answer. */
export function exerciseVerdict(asked, given) {
  if (given === null) return "Not answered yet.";
  const problem = findProblem(given, asked.answer, asked.tolerance);
  if (!problem) return "Right.";
  const made = asked.mistakes.find(([value]) => !findProblem(given, value, asked.tolerance));
  return `Not yet: ${problem}. Hint: ${made ? made[1] : asked.hint}`;
}

// What tells `given` from `expected`, or "".
function findProblem(given, expected, tolerance) {
  if (Array.isArray(expected)) return findListProblem(given, expected, tolerance);
  if (typeof expected !== "number") return given === expected ? "" : "the two differ";
  return isClose(given, expected, tolerance) ? "" : "the numbers differ";
}

function findListProblem(given, expected, tolerance) {
  if (!Array.isArray(given)) return "it is no list";
  if (given.length !== expected.length) {
    return `the length is ${given.length}, not ${expected.length}`;
  }
  const problems = given.map((one, i) => findProblem(one, expected[i], tolerance));
  const at = problems.findIndex(Boolean);
  return at < 0 ? "" : `at index ${at}: ${problems[at]}`;
}

// As Python's isclose, with the same tolerance absolute and relative.
function isClose(given, expected, tolerance) {
  return Math.abs(given - expected) <= tolerance * Math.max(1, Math.abs(given), Math.abs(expected));
}

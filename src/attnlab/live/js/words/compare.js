// Where a translation departs from the truth.

/**
 * The shortest edit from `truth` to `answer`, token by token: a list of
 * {kind, token, wanted}, kind being "right", "wrong", "extra" or "missing".
 */
export function alignTokens(answer, truth) {
  // cost[i][j]: edits between the first i tokens of the answer and the first j of the truth
  const cost = answer.map((_, i) => [i + 1]);
  cost.unshift(truth.map((_, j) => j + 1));
  cost[0].unshift(0);
  for (let i = 1; i <= answer.length; i++) {
    for (let j = 1; j <= truth.length; j++) {
      const differs = answer[i - 1] === truth[j - 1] ? 0 : 1;
      cost[i][j] = Math.min(cost[i - 1][j - 1] + differs, cost[i - 1][j] + 1, cost[i][j - 1] + 1);
    }
  }

  const marks = [];
  let i = answer.length;
  let j = truth.length;
  while (i > 0 || j > 0) {
    const token = answer[i - 1];
    const wanted = truth[j - 1];
    const differs = token === wanted ? 0 : 1;
    if (i > 0 && j > 0 && cost[i][j] === cost[i - 1][j - 1] + differs) {
      marks.push({ kind: differs ? "wrong" : "right", token, wanted });
      i -= 1;
      j -= 1;
    } else if (i > 0 && cost[i][j] === cost[i - 1][j] + 1) {
      marks.push({ kind: "extra", token });
      i -= 1;
    } else {
      marks.push({ kind: "missing", wanted });
      j -= 1;
    }
  }
  return marks.reverse();
}

/** One mark in words: "drei (should be vier)". */
export function describeMark({ kind, token, wanted }) {
  if (kind === "wrong") return `“${token}” where “${wanted}” belongs`;
  if (kind === "extra") return `“${token}” where nothing belongs`;
  if (kind === "missing") return `“${wanted}” left out`;
  return token;
}

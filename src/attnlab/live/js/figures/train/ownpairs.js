// The reader's own pairs: pasted into a box, or opened from a file.

import { menu } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { uid } from "../../shell/shelf.js";
import { fileField } from "./filefield.js";
import { SETTING_LABELS } from "./words.js";

/** `change(values)` gets the text, or what it is cut into; `update(settings)` shows them. */
export function ownPairsField({ units, letters }, change) {
  const id = uid("pairs");
  const hint = "one two three = three two one";
  const box = make("textarea", { id, rows: 6, spellcheck: "false", placeholder: hint });
  const problem = make("p.al-error", { role: "alert" });
  const cut = menu(
    SETTING_LABELS.units,
    units.map((one) => [one, one]),
    (one) => change({ units: one }),
  );
  const takeText = (text) => {
    const fits = text.length <= letters;
    problem.textContent = fits
      ? ""
      : `This text has ${text.length} characters; at most ${letters} fit in here.`;
    if (fits) change({ pairs: text });
  };
  box.addEventListener("change", () => takeText(box.value));
  const file = fileField("Or open a file", ".txt,.tsv,.csv,text/*", async (opened) => {
    try {
      takeText(await opened.text());
    } catch {
      problem.textContent = "This file cannot be read.";
    }
  });
  const element = make(
    "div.tn-own",
    make(
      "div.al-field",
      make("label", { for: id }, "Pairs, one a line, the sides apart by a tab or ="),
      box,
    ),
    make("div.al-controls", cut.field, file),
    problem,
  );

  function update({ task, pairs, units: unit }) {
    element.hidden = task !== "own";
    cut.set(unit);
    if (document.activeElement !== box && box.value !== pairs) box.value = pairs;
  }
  return { element, update };
}

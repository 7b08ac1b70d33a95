// Eight boxes on a shelf, and the bars of one head's weights against those of two.

import { choices } from "../../parts/choices.js";
import { make } from "../../parts/elements.js";
import { slider } from "../../parts/numbers.js";
import { columnHead, tableRow } from "../../parts/tables.js";
import { debounce, rafThrottle } from "../../parts/timing.js";
import { traitsOf } from "../../shell/traits.js";
import { percent, twoDecimals } from "../../words/phrases.js";
import { readContents, describeShelf } from "./rows.js";

const MIN_SHOWN_WEIGHT = 0.005; // what rounds to 0% is not written

export function render({ model, el, say }) {
  const speak = debounce(say);
  const traits = traitsOf(model, ["first", "second", "sharpness"]);
  const { limits } = model.get("_frame");
  const { labels, contents } = limits;
  const controls = makeControls(limits, traits);
  const head = columnHead("label", ...labels, "brings");
  const boxes = contents.map((content) => make("td.sh-box", content));
  const body = make("tbody", tableRow("box", ...boxes, make("td")));
  const rows = Array.from({ length: 3 }, () => weightRow(labels.length));
  body.append(...rows.map(({ element }) => element));
  el.append(controls.element, make("table.sh-table", head, body));

  function draw() {
    const settings = traits.read();
    const asked = [settings.first, settings.second].map((label) => labels.indexOf(label));
    const one = readContents(contents, asked, settings.sharpness);
    const two = asked.map((place) => readContents(contents, [place], settings.sharpness));
    controls.update(settings);
    rows[0].update("one head", one);
    two.forEach((row, i) => rows[i + 1].update(`head ${i + 1} of 2`, row));
    speak(describeShelf(limits, { asked, sharpness: settings.sharpness }, one, two));
  }

  traits.follow(rafThrottle(draw));
  draw();
}

function weightRow(count) {
  const shares = Array.from({ length: count }, () => make("span"));
  const bars = shares.map(() => make("i.sh-bar"));
  const cells = bars.map((bar, i) => make("td", bar, shares[i]));
  const brings = make("td.sh-brought");
  const element = tableRow("", ...cells, brings);

  function update(name, { weights, brought }) {
    element.firstChild.textContent = name;
    bars.forEach((bar, i) => bar.style.setProperty("--weight", weights[i].toFixed(4)));
    shares.forEach((share, i) => {
      share.textContent = weights[i] < MIN_SHOWN_WEIGHT ? "" : percent(weights[i]);
    });
    brings.textContent = twoDecimals(brought);
  }
  return { element, update };
}

function makeControls({ labels, sharpest }, traits) {
  const [first, second] = ["first", "second"].map((name) =>
    choices(
      `Asked for ${name}`,
      labels.map((label) => [label, label]),
      (label) => traits.change({ [name]: label }),
    ),
  );
  const sharpness = slider("Sharpness (1 / temperature)", 0, sharpest, (value) =>
    traits.change({ sharpness: value }),
  );
  const readout = make("strong", { "aria-hidden": "true" });
  sharpness.field.append(readout);
  const fields = [first, second, sharpness].map(({ field }) => field);
  return {
    element: make("div.al-controls.sh-controls", ...fields),
    update(settings) {
      first.set(settings.first);
      second.set(settings.second);
      sharpness.set(settings.sharpness, sharpest, `sharpness ${settings.sharpness}`);
      readout.textContent = settings.sharpness;
    },
  };
}

// What is lost without two heads, whichever they are: a grid to choose them from.

import { make } from "../../parts/elements.js";
import { fillByWeight } from "../../parts/shading.js";
import { groupDigits, joinWithAnd } from "../../words/phrases.js";
import { allHeads, headName } from "./reading.js";

/** On its diagonal one head is gone. The shares are stored with the weights. */
export function damageGrid({ silence }) {
  const title = make("p", { class: "hd-heading" });
  const table = make("table", { class: "hd-damage" });
  let cells = [];
  let built = null; // the network whose heads they are

  function build(network) {
    const heads = allHeads(network);
    const names = heads.map((head) => headName(network, head));
    cells = heads.flatMap((one, i) =>
      heads.slice(0, i + 1).map((other, j) => {
        const gone = i === j ? [one] : [other, one];
        const button = make("button", { type: "button" });
        button.addEventListener("click", () => {
          const pressed = button.getAttribute("aria-pressed") === "true";
          silence(pressed ? [] : gone);
        });
        return { button, gone, i, j };
      }),
    );
    const rows = names.map((name, i) => {
      const mine = cells.filter((cell) => cell.i === i);
      const empty = names.slice(i + 1).map(() => make("td"));
      const filled = mine.map(({ button }) => make("td", {}, button));
      return make("tr", {}, make("th", { scope: "row" }, name), ...filled, ...empty);
    });
    const ends = names.map((name) => make("th", { scope: "col" }, name));
    table.replaceChildren(make("tbody", {}, ...rows, make("tr", {}, make("td"), ...ends)));
    table.classList.toggle("many", names.length > 4);
  }

  function show({ network, off, instead }) {
    if (built !== network) build(network);
    built = network;
    const { damage, damage_numbers: count } = network.metadata;
    title.textContent = `Of ${groupDigits(count)} numbers, misread without two heads, or one, in %`;
    for (const { button, gone, i, j } of cells) {
      const share = damage[instead][i][j];
      const names = gone.map((head) => headName(network, head));
      const heads = `head${names.length > 1 ? "s" : ""} ${joinWithAnd(names)}`;
      button.textContent = String(Math.round(100 * share));
      button.setAttribute("aria-label", `Without ${heads}: ${(100 * share).toFixed(1)}% misread`);
      button.setAttribute("aria-pressed", String(String(off) === String(gone)));
      fillByWeight(button, share);
    }
  }
  return { element: make("div", { class: "hd-grid al-more" }, title, table), show };
}

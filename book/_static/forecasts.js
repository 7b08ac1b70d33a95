// The ledger's section on the reader's own forecasts, which live figures keep in this browser.
"use strict";
{
  const KEY = "attnlab-forecast-"; // and the id, as in live/js/shell/records.js
  const SURE = { guess: "a guess", fairly: "fairly sure", sure: "sure", null: "did not say" };

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function keys() {
    return Object.keys(localStorage).filter((key) => key.startsWith(KEY));
  }

  function parsed(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null; // not ours
    }
  }

  // All that can be read; a browser that keeps nothing has none.
  function records() {
    try {
      const found = keys().map(parsed);
      return found.filter((one) => one && one.sure in SURE && typeof one.right === "boolean");
    } catch {
      return [];
    }
  }

  function row(name, group) {
    const right = group.filter((one) => one.right).length;
    const share = group.length ? `${Math.round((100 * right) / group.length)}%` : "–";
    const cells = [group.length, right, share].map((text) => make("td", {}, String(text)));
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  }

  function table(all) {
    const head = ["You were", "made", "right", "share"];
    const headings = head.map((name) => make("th", { scope: "col" }, name));
    const groups = Object.entries(SURE).map(([sure, name]) => [
      name,
      all.filter((one) => String(one.sure) === sure),
    ]);
    const rows = groups
      .filter(([name, group]) => name !== SURE.null || group.length)
      .map(([name, group]) => row(name, group));
    return make(
      "table",
      { class: "table forecast-table" },
      make("thead", {}, make("tr", {}, ...headings)),
      make("tbody", {}, ...rows, row("all together", all)),
    );
  }

  // Only a path inside the book is taken for a link.
  function item({ question, page, sure, right }) {
    const inside = /^book\/\w+\.html#forecast-[a-z0-9-]+$/.test(page);
    const root = document.documentElement.dataset.content_root ?? "../";
    const text = String(question ?? "A forecast");
    const place = inside ? make("a", { href: root + page }, text) : text;
    return make("li", {}, place, ` ${right ? "✓ right" : "✗ not right"}, ${SURE[sure]}`);
  }

  function forgetAll() {
    try {
      for (const key of keys()) localStorage.removeItem(key);
    } catch {
      // what cannot be reached was not kept
    }
  }

  function record(all, onForget) {
    const right = all.filter((one) => one.right).length;
    const forecasts = all.length === 1 ? "1 forecast" : `${all.length} forecasts`;
    const button = make("button", { type: "button" }, "Forget my forecasts");
    button.addEventListener("click", onForget);
    const dated = [...all].sort((a, b) => String(a.when).localeCompare(String(b.when)));
    return [
      make("p", {}, `You made ${forecasts}; ${right} came out right.`),
      table(all),
      make("ol", { class: "forecast-list" }, ...dated.map(item)),
      button,
    ];
  }

  function start() {
    const home = document.getElementById("forecast-record");
    if (!home) return;
    const empty = [...home.childNodes]; // what stands there without any forecast
    function show() {
      const all = records();
      home.replaceChildren(...(all.length ? record(all, onForget) : empty));
    }
    function onForget() {
      forgetAll();
      show();
      home.focus(); // the button is gone
    }
    home.tabIndex = -1;
    window.addEventListener("storage", show);
    window.addEventListener("pageshow", show); // back from a chapter
    show();
  }
  document.addEventListener("DOMContentLoaded", start);
}

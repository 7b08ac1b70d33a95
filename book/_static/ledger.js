// The ledger's filters. What is chosen stands in the page's address, to be shared.
document.addEventListener("DOMContentLoaded", () => {
  /** @type {HTMLFormElement} */
  const form = document.querySelector(".ledger-filter");
  if (!form) return;
  /** @type {NodeListOf<HTMLElement>} */
  const listed = document.querySelectorAll(".claims > li");
  const lines = [...listed];
  const told = form.querySelector("output");
  /** @type {HTMLElement} */
  const refutations = document.querySelector(".refutations");

  function show() {
    const asked = [...new FormData(form)].filter(([, value]) => value);
    for (const line of lines)
      line.hidden = asked.some(([name, value]) => line.dataset[name] !== value);
    const shown = lines.filter((line) => !line.hidden);
    refutations.hidden = asked.length > 0; // they stand between what is chosen and the list
    told.textContent = `${shown.length} of ${lines.length} claims`;
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const squares = document.querySelectorAll(".wall-squares a");
    for (const square of squares) square.inert = !shown.includes(lineOf(square.hash));
    /** @type {NodeListOf<HTMLElement>} */
    const chapters = document.querySelectorAll("section:has(> .claims)");
    for (const chapter of chapters) chapter.hidden = !shown.some((line) => chapter.contains(line));
    const query = new URLSearchParams(/** @type {string[][]} */ (asked)).toString();
    return query && `?${query}`;
  }

  function choose(place = "") {
    history.replaceState(null, "", (show() || location.pathname) + place);
  }

  function showAll(place = "") {
    form.reset();
    choose(place);
  }

  function lineOf(hash) {
    return lines.find((line) => line.id === hash.slice(1));
  }

  // A link to a claim opens it, and takes away a filter that hides it.
  function follow() {
    const line = lineOf(location.hash);
    if (!line) return;
    if (line.hidden) showAll(location.hash);
    line.querySelector("details").open = true;
    line.scrollIntoView();
  }

  form.addEventListener("change", () => choose());
  form.querySelector("button").addEventListener("click", () => showAll());
  window.addEventListener("hashchange", follow);
  for (const [name, value] of new URLSearchParams(location.search)) {
    const control = form.elements.namedItem(name);
    if (!(control instanceof HTMLSelectElement || control instanceof RadioNodeList)) continue;
    control.value = value;
    control.value ||= ""; // all, where there is no such value
  }
  show();
  follow();
});

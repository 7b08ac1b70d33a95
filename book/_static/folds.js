// One button for all folded code of a page; what the reader chose holds on every page.
document.addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector(".fold-all");
  if (!button) return;

  function show(open) {
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const folds = document.querySelectorAll("details.fold");
    for (const fold of folds) fold.open = open;
    button.textContent = open ? "Fold the code" : "Show all code";
    button.setAttribute("aria-pressed", String(open));
  }

  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-pressed") !== "true";
    localStorage.setItem("code", open ? "open" : "folded");
    show(open);
  });
  if (localStorage.getItem("code") === "open") show(true);
});

// Code that is wider than what was opened can be scrolled by keys once Tab reaches it.
{
  const reach = (listing) => {
    listing.tabIndex = listing.scrollWidth > listing.clientWidth ? 0 : -1;
  };
  const onToggle = ({ target }) => target.querySelectorAll("pre").forEach(reach);
  document.addEventListener("toggle", onToggle, { capture: true }); // it does not bubble
}

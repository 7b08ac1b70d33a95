// One button for all folded code of a page; what the reader chose holds on every page.
document.addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector(".fold-all");
  if (!button) return;
  const folds = document.querySelectorAll("details.fold");

  function show(open) {
    for (const fold of folds) fold.open = open;
    button.textContent = open ? "Fold the code" : "Show all code";
    button.setAttribute("aria-pressed", String(open));
  }

  // Code that is wider than its fold can be scrolled by keys once Tab reaches it.
  function reach(listing) {
    listing.tabIndex = listing.scrollWidth > listing.clientWidth ? 0 : -1;
  }

  for (const fold of folds) {
    fold.addEventListener("toggle", () => fold.querySelectorAll("pre").forEach(reach));
  }
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-pressed") !== "true";
    localStorage.setItem("code", open ? "open" : "folded");
    show(open);
  });
  if (localStorage.getItem("code") === "open") show(true);
});

// Code folds: behind tabs, which one button opens all, and on a phone what stands open as
// well. What the reader chose holds on every page.
document.addEventListener("DOMContentLoaded", () => {
  const button = document.querySelector(".fold-all");
  const onPhone = matchMedia("(max-width: 48rem)").matches;

  function show(open) {
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const folds = document.querySelectorAll("details:is(.fold, .listing)");
    for (const fold of folds) fold.open = open || (fold.matches(".listing") && !onPhone);
    if (!button) return;
    button.textContent = open ? "Fold the code" : "Show all code";
    button.setAttribute("aria-pressed", String(open));
  }

  button?.addEventListener("click", () => {
    const open = button.getAttribute("aria-pressed") !== "true";
    localStorage.setItem("code", open ? "open" : "folded");
    show(open);
  });
  show(localStorage.getItem("code") === "open");
});

// Code that is wider than what was opened can be scrolled by keys once Tab reaches it.
{
  const reach = (listing) => {
    listing.tabIndex = listing.scrollWidth > listing.clientWidth ? 0 : -1;
  };
  const onToggle = ({ target }) => target.querySelectorAll("pre").forEach(reach);
  document.addEventListener("toggle", onToggle, { capture: true }); // it does not bubble
}

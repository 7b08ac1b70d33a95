// One button for all folded code of a page; what the reader chose holds on every page.
document.addEventListener("DOMContentLoaded", () => {
  const folds = document.querySelectorAll("details.fold");
  const title = document.querySelector(".bd-article h1");
  if (!folds.length || !title) return;

  const button = document.createElement("button");
  button.type = "button";
  button.className = "fold-all";

  function show(open) {
    for (const fold of folds) fold.open = open;
    button.textContent = open ? "Fold the code" : "Show all code";
    button.setAttribute("aria-pressed", String(open));
  }

  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-pressed") !== "true";
    localStorage.setItem("code", open ? "open" : "folded");
    show(open);
  });
  show(localStorage.getItem("code") === "open");
  title.after(button);
});

// What answers a forecast is veiled until the forecast is shown or skipped. What a reader
// looks for, by the browser's search or by a link, is unveiled as well.
"use strict";
document.documentElement.classList.add("veils"); // until then a style sheet hides them

document.addEventListener("DOMContentLoaded", () => {
  for (const veil of document.querySelectorAll(".veiled")) follow(veil);
  document.documentElement.classList.remove("veils");
  addEventListener("hashchange", unveilTarget);
  unveilTarget();

  function follow(veil) {
    const figure = veil.previousElementSibling.querySelector('[data-figure="forecast"]');
    const note = document.createElement("p");
    note.className = "veil-note";
    note.textContent = "What happened stands here once the forecast is made, or skipped.";
    new MutationObserver(update).observe(figure, {
      attributes: true,
      childList: true,
      subtree: true,
    });
    veil.addEventListener("beforematch", () => lift(veil));
    update();

    function update() {
      const body = figure.querySelector(".attnlab-body");
      const waits = body ? body.dataset.shown === "false" : !("failed" in figure.dataset);
      veil.hidden = waits && !("sought" in veil.dataset) ? "until-found" : false;
      if (veil.hidden) veil.before(note);
      else note.remove();
    }
  }

  function lift(veil) {
    veil.dataset.sought = "";
    veil.hidden = false;
    if (veil.previousElementSibling.className === "veil-note") veil.previousElementSibling.remove();
  }

  function unveilTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const veil = target?.closest(".veiled");
    if (!veil) return;
    lift(veil);
    target.scrollIntoView();
  }
});

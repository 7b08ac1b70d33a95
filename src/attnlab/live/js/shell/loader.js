// Starts the figure that this script stands in, or all of the page that have no program of
// their own. The program is the element before this script; from there it becomes a module
// by a blob URL: under file:// none can be loaded any other way. (Itself this is no module:
// those know no currentScript.)
(() => {
  const script = document.currentScript;
  const { module, weights } = JSON.parse(script.previousElementSibling.textContent);
  const own = script.closest(".attnlab-live");
  const all = document.querySelectorAll(".attnlab-live:not(:has(.attnlab-program))");
  const url = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const loaded = import(url).finally(() => URL.revokeObjectURL(url));
  for (const figure of own ? [own] : all) {
    const state = JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
    loaded
      .then(({ mount }) => mount(figure, { ...state, _weights: weights }))
      .catch((error) => {
        console.error(error);
        figure.setAttribute("data-failed", "");
        figure.querySelector('[role="status"]').textContent =
          `This figure did not start: ${error.message}`;
      });
  }
})();

// Starts the module of the figure that this script stands in, from a blob URL: under
// file:// a module cannot be loaded any other way. The style goes to the page's head,
// once for all figures of a kind. (Itself it is no module: those know no currentScript.)
(() => {
  const script = document.currentScript;
  const figures = script?.closest(".attnlab-live")
    ? [script.closest(".attnlab-live")]
    : document.querySelectorAll(".attnlab-live:has(> script)");
  for (const figure of figures) {
    const data = figure.querySelector('script[type="application/json"]');
    const { module, css, state } = JSON.parse(data.textContent);
    const name = figure.dataset.figure;
    if (!document.querySelector(`style[data-attnlab="${name}"]`)) {
      const style = document.createElement("style");
      style.dataset.attnlab = name;
      style.textContent = css;
      document.head.append(style);
    }
    const url = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
    import(url)
      .then(({ mount }) => mount(figure, state))
      .catch((error) => {
        console.error(error);
        figure.querySelector('[role="status"]').textContent =
          `This figure did not start: ${error.message}`;
      })
      .finally(() => URL.revokeObjectURL(url));
  }
})();

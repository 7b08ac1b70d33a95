// Starts the module of the figure that this script stands in, from a blob URL: under
// file:// a module cannot be loaded any other way. The style goes to the page's head,
// once for all figures of a kind; a page may leave out the module and the style of all but
// the first of a kind. (Itself it is no module: those know no currentScript.)
(() => {
  const script = document.currentScript;
  /** @type {Iterable<HTMLElement>} */
  const figures = script?.closest(".attnlab-live")
    ? [script.closest(".attnlab-live")]
    : document.querySelectorAll(".attnlab-live:has(> script)");
  for (const figure of figures) {
    const data = figure.querySelector('script[type="application/json"]');
    const { state, ...own } = JSON.parse(data.textContent);
    const name = figure.dataset.figure;
    const kinds = (globalThis.attnlabKinds ??= {});
    const { module, css } = own.module ? (kinds[name] = own) : kinds[name];
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

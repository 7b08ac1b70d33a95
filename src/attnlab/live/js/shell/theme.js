// Light or dark, as the page that a figure stands in.

export function followTheme(figure, signal) {
  const update = () => {
    const theme = pageTheme();
    if (figure.dataset.theme === theme) return;
    figure.dataset.theme = theme;
    figure.dispatchEvent(new Event("themechange"));
  };
  const observer = new MutationObserver(update);
  observer.observe(document.documentElement, { attributes: true });
  observer.observe(document.body, { attributes: true });
  signal.addEventListener("abort", () => observer.disconnect());
  update();
}

function pageTheme() {
  const { documentElement: root, body } = document;
  const dark =
    root.dataset.theme === "dark" // the built book
    || body.dataset.jpThemeLight === "false" // Jupyter
    || root.getAttribute("theme") === "dark" // Colab
    || body.classList.contains("vscode-dark");
  return dark ? "dark" : "light";
}

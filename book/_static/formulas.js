// Sets the page's formulas a few at a time, from the top, instead of all at once: in
// between the page scrolls and answers. The first one brings MathJax's fonts; once they
// are here, each formula takes its final place at once. MathJax's own promise waits for
// the last.
window.MathJax = {
  ...window.MathJax,
  startup: {
    async pageReady() {
      const formulas = [...document.querySelectorAll(".math")];
      await MathJax.typesetPromise(formulas.slice(0, 1));
      const fonts = ["1em MJXTEX", "1em MJXTEX-I"];
      await Promise.allSettled(fonts.map((font) => document.fonts.load(font)));
      for (let i = 1; i < formulas.length; i += 4) {
        await new Promise((done) => setTimeout(done));
        await MathJax.typesetPromise(formulas.slice(i, i + 4));
      }
    },
  },
};

// Sets the page's formulas a few at a time, from the top, instead of all at once: in
// between the page scrolls and answers. MathJax's own promise waits for the last.
window.MathJax = {
  ...window.MathJax,
  startup: {
    async pageReady() {
      const formulas = [...document.querySelectorAll(".math")];
      for (let i = 0; i < formulas.length; i += 4) {
        await new Promise((done) => setTimeout(done));
        await MathJax.typesetPromise(formulas.slice(i, i + 4));
      }
    },
  },
};

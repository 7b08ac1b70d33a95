import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import globals from "globals";

export default defineConfig([
  { ignores: [".venv/", "_build/", "build/"] },
  {
    extends: [js.configs.recommended],
    languageOptions: { globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "max-len": ["error", { code: 100 }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  // What Sphinx and MathJax hand to the scripts of a page.
  {
    files: ["book/_static/*.js"],
    languageOptions: { sourceType: "script", globals: { MathJax: "readonly", Scorer: "readonly" } },
  },
]);

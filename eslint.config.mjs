import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import globals from "globals";

// What each room of live/js may import from, beside itself; a figure imports no other one.
const ROOMS = {
  shell: [],
  math: [],
  words: [],
  models: ["shell", "math"],
  learn: ["models", "words"],
  parts: ["shell", "models", "words"],
};
const onlyFrom = (files, regex, message) => ({
  files: [`src/attnlab/live/js/${files}`],
  rules: { "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] },
});

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
  ...Object.entries(ROOMS).map(([room, others]) =>
    onlyFrom(
      `${room}/*.js`,
      `^\\.\\./(?!(${others.join("|") || "none"})/)`,
      `${room} may import from: ${others.join(", ") || "no other room"}.`,
    ),
  ),
  onlyFrom("figures/**/*.js", "^\\.\\./(?!\\.\\./)", "Share it in a room of parts or words."),
  // What Sphinx hands to the scripts of a page.
  {
    files: ["book/_static/*.js"],
    languageOptions: { sourceType: "script", globals: { Scorer: "readonly" } },
  },
]);

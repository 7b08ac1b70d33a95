// A file of the reader's own.

import { make } from "../../parts/elements.js";
import { uid } from "../../shell/shelf.js";

/** A labelled field for one file; `onFile(file)` gets each that is opened. */
export function fileField(label, accept, onFile) {
  const id = uid("file");
  const input = make("input", { id, type: "file", accept });
  input.addEventListener("change", () => {
    const [file] = input.files;
    if (file) onFile(file);
    input.value = ""; // so that the same file can be opened again
  });
  return make("div.al-field", make("label", { for: id }, label), input);
}

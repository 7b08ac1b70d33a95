// One of several parts of a figure at a time, so that the figure is one screen high.

import { choices } from "./choices.js";

/**
 * Radio buttons that show one of the `views`, a list of [name, text, element], the first at
 * the start; `onView(name)` is called when another is shown.
 *
 * @param {{ label: string, views: any[], onView?: (name: string) => void }} asked
 */
export function viewSwitch({ label, views, onView = () => {} }) {
  const options = views.map(([name, text]) => [name, text]);
  const { field, set } = choices(label, options, update);
  let shown = null;

  function update(name) {
    const another = shown !== null && shown !== name;
    shown = name;
    set(name);
    for (const [own, , element] of views) element.hidden = own !== name;
    if (another) onView(name);
  }
  update(options[0][0]);
  return { field, update, shown: () => shown };
}

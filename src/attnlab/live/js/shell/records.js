// What a reader has said to a figure, kept in the browser under a key each: a forecast, an
// answer. (Under one key, two pages in quick succession would write over each other's.)

import { shelf } from "./shelf.js";

/**
 * The records of one kind, "forecast" or "exercise", by id: find(id), keep(id, record),
 * follow(signal, onChange).
 */
export function recordStore(kind) {
  const prefix = `attnlab-${kind}-`;
  const changed = `attnlab-${kind}s`;

  /** The record, or null. A browser that keeps nothing is taken as it is. */
  function find(id) {
    if (Object.hasOwn(shelf.records ?? {}, prefix + id)) return shelf.records[prefix + id];
    try {
      const found = JSON.parse(localStorage.getItem(prefix + id));
      return found && typeof found === "object" && !Array.isArray(found) ? found : null;
    } catch {
      return null; // no storage, or something else under this name
    }
  }

  /** Keep a record; null forgets it. Returns whether the browser will still know it later. */
  function keep(id, record) {
    const stored = storeRecord(prefix + id, record);
    window.dispatchEvent(new Event(changed)); // the same figure elsewhere in the page
    return stored;
  }

  /** Call `onChange` when a record changes, in this page or another one. */
  function follow(signal, onChange) {
    const onStorage = ({ key }) => {
      if (key === null || key.startsWith(prefix)) onChange();
    };
    window.addEventListener(changed, onChange, { signal });
    window.addEventListener("storage", onStorage, { signal });
  }
  return { find, keep, follow };
}

// Where the browser refuses, the page keeps the record as long as it is open.
function storeRecord(key, record) {
  const kept = (shelf.records ??= {});
  try {
    const text = JSON.stringify(record);
    if (record) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
    if (localStorage.getItem(key) === (record ? text : null)) {
      delete kept[key];
      return true;
    }
  } catch {
    // as where it keeps nothing without saying so
  }
  kept[key] = record;
  return false;
}

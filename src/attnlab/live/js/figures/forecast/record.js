// The reader's forecasts, kept in the browser under one key: by id, what was guessed, how
// sure, whether it was right, when, and where it stands. The ledger reads them there.

import { shelf } from "../../shell/shelf.js";

const FORECASTS_KEY = "attnlab-forecasts";
const FORECASTS_EVENT = "attnlab-forecasts";

/** The record of one forecast, or null. A browser that keeps nothing is taken as it is. */
export function recordOf(id) {
  const all = allRecords();
  const found = Object.hasOwn(all, id) ? all[id] : null;
  return found && typeof found === "object" ? found : null;
}

/** Keep a record; null forgets it. Returns whether the browser will still know it later. */
export function keepRecord(id, record) {
  const all = allRecords();
  delete all[id];
  const others = Object.entries(all);
  const kept = record ? Object.fromEntries([...others, [id, record]]) : all;
  const stored = storeRecords(kept);
  window.dispatchEvent(new Event(FORECASTS_EVENT)); // the same forecast elsewhere in the page
  return stored;
}

/** Call `onChange` when a record changes, in this page or another one. */
export function followRecords(signal, onChange) {
  window.addEventListener(FORECASTS_EVENT, onChange, { signal });
  window.addEventListener(
    "storage",
    (event) => {
      if (event.key === FORECASTS_KEY || event.key === null) onChange();
    },
    { signal },
  );
}

function allRecords() {
  if (shelf.forecasts) return { ...shelf.forecasts };
  try {
    const found = JSON.parse(localStorage.getItem(FORECASTS_KEY));
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {}; // no storage, or something else under this name
  }
}

// Where the browser refuses, the page keeps them as long as it is open.
function storeRecords(records) {
  try {
    const text = JSON.stringify(records);
    localStorage.setItem(FORECASTS_KEY, text);
    if (localStorage.getItem(FORECASTS_KEY) === text) {
      delete shelf.forecasts;
      return true;
    }
  } catch {
    // as where it keeps nothing without saying so
  }
  shelf.forecasts = records;
  return false;
}

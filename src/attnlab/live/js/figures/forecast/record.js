// The reader's forecasts, kept in the browser under a key each: what was guessed, how sure,
// whether it was right, when, and where it stands. The ledger reads them there. (Under one
// key, two pages in quick succession would write over each other's.)

import { shelf } from "../../shell/shelf.js";

const FORECAST_KEY = "attnlab-forecast-"; // and the id
const FORECASTS_EVENT = "attnlab-forecasts";

/** The record of one forecast, or null. A browser that keeps nothing is taken as it is. */
export function recordOf(id) {
  if (Object.hasOwn(shelf.forecasts ?? {}, id)) return shelf.forecasts[id];
  try {
    const found = JSON.parse(localStorage.getItem(FORECAST_KEY + id));
    return found && typeof found === "object" && !Array.isArray(found) ? found : null;
  } catch {
    return null; // no storage, or something else under this name
  }
}

/** Keep a record; null forgets it. Returns whether the browser will still know it later. */
export function keepRecord(id, record) {
  const stored = storeRecord(id, record);
  window.dispatchEvent(new Event(FORECASTS_EVENT)); // the same forecast elsewhere in the page
  return stored;
}

/** Call `onChange` when a record changes, in this page or another one. */
export function followRecords(signal, onChange) {
  window.addEventListener(FORECASTS_EVENT, onChange, { signal });
  window.addEventListener(
    "storage",
    (event) => {
      if (event.key === null || event.key.startsWith(FORECAST_KEY)) onChange();
    },
    { signal },
  );
}

// Where the browser refuses, the page keeps the record as long as it is open.
function storeRecord(id, record) {
  const kept = (shelf.forecasts ??= {});
  try {
    const text = JSON.stringify(record);
    if (record) localStorage.setItem(FORECAST_KEY + id, text);
    else localStorage.removeItem(FORECAST_KEY + id);
    if (localStorage.getItem(FORECAST_KEY + id) === (record ? text : null)) {
      delete kept[id];
      return true;
    }
  } catch {
    // as where it keeps nothing without saying so
  }
  kept[id] = record;
  return false;
}

// What all figures of a page share, each of which is a module of its own.
export const shelf = (globalThis.attnlabShelf ??= { texts: new Map(), models: new Map(), ids: 0 });

// An id that no other element of the page has.
export function uid(prefix = "attnlab") {
  shelf.ids += 1;
  return `${prefix}-${shelf.ids}`;
}

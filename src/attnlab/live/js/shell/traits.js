// A figure's traits, which it gets, sets and listens to.

// The model, but what a view listens to ends with the view.
export function listenUntil(signal, model) {
  return {
    get: (name) => model.get(name),
    set: (name, value) => model.set(name, value),
    save_changes: () => model.save_changes(),
    send: model.send && ((message) => model.send(message)), // to the kernel, if there is one
    off: (event, callback) => model.off(event, callback),
    on(event, callback) {
      model.on(event, callback);
      signal.addEventListener("abort", () => model.off(event, callback));
    },
  };
}

// Stands in for anywidget's model where there is no kernel.
export class PageModel {
  constructor(state) {
    this.state = new Map(Object.entries(state));
    this.callbacks = new Map();
  }

  get(name) {
    return this.state.get(name);
  }

  set(name, value) {
    const before = this.state.get(name);
    if (JSON.stringify(before) === JSON.stringify(value)) return;
    this.state.set(name, value);
    for (const callback of [...(this.callbacks.get(`change:${name}`) ?? [])]) callback();
  }

  on(event, callback) {
    if (!this.callbacks.has(event)) this.callbacks.set(event, new Set());
    this.callbacks.get(event).add(callback);
  }

  off(event, callback) {
    this.callbacks.get(event)?.delete(callback);
  }

  save_changes() {}
}

/** Some of a figure's traits as plain data: to read, to change, and to follow. */
export function traitsOf(model, names) {
  return {
    read: () => Object.fromEntries(names.map((name) => [name, model.get(name)])),
    change(values) {
      for (const [name, value] of Object.entries(values)) model.set(name, value);
      model.save_changes();
    },
    follow(onChange) {
      for (const name of names) model.on(`change:${name}`, onChange);
    },
  };
}

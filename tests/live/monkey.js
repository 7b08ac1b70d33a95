// A restless reader: does to a mounted figure what a list of drawn numbers says, and
// looks at it after every step.

const KEYS = [
  "ArrowLeft",
  "ArrowRight",
  "ArrowUp",
  "ArrowDown",
  "Home",
  "End",
  "Enter",
  " ",
  "Escape",
  "PageDown",
  "Delete",
  "Tab",
  "a",
];
const NONSENSE = /NaN|undefined|Infinity|\[object/;
const INTRUDERS = "script, img, iframe, object, embed, link, base, style, .injected";

/** Put a figure in the page; `state` is what `LiveFigure` writes into a page. */
export function show(module, state) {
  leave();
  const figure = document.createElement("figure");
  figure.className = "attnlab-live";
  figure.dataset.figure = state._frame.figure;
  document.querySelector("main").replaceChildren(figure);
  // What a kernel or a page hands over has been through JSON.
  globalThis.leaveFigure = module.mount(figure, JSON.parse(JSON.stringify(state)));
  return figure;
}

export function leave() {
  globalThis.leaveFigure?.();
  globalThis.leaveFigure = null;
}

/** What nobody should see in a figure: a list of sentences. */
export function faults() {
  const figure = document.querySelector("figure");
  const found = [];
  if (globalThis.hacked) found.push("what was typed ran as a script");
  for (const element of [figure, ...figure.querySelectorAll("*")]) {
    if (element.matches(INTRUDERS)) found.push(`there is a <${element.localName}>`);
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) found.push(`${element.localName} has ${name}`);
      if (NONSENSE.test(value))
        found.push(`${element.localName}.${element.classList} has ${name}="${value}"`);
    }
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE && NONSENSE.test(node.data)) {
        found.push(`${element.localName}.${element.classList} says ${node.data}`);
      }
    }
    if (NONSENSE.test(element.value ?? ""))
      found.push(`${element.localName} holds ${element.value}`);
  }
  const status = figure.querySelector('[role="status"]');
  if (!status.textContent.trim()) found.push("the picture is not put into words");
  return [...new Set(found)].slice(0, 5);
}

/** Time for a figure to draw: three frames, or more while it is busy. */
export async function drawn() {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  await frame();
  while (document.querySelector("[aria-busy=true]")) await frame();
  await frame();
}

// A machine so slow that whatever is done in pieces takes a frame for each of them.
function slowDown() {
  let now = performance.now();
  performance.now = () => (now += 1000);
}

/**
 * Do these things one after the other, on a slow machine or not. Each is
 * { kind, which, where, text }, two numbers from 0 to 1 and a text. Returns what was wrong
 * after the first that did wrong, or null.
 */
export async function play(module, state, acts, slow) {
  if (slow) slowDown();
  try {
    return await firstFault(module, state, acts);
  } finally {
    delete performance.now;
  }
}

async function firstFault(module, state, acts) {
  show(module, state);
  await drawn();
  for (const [index, act] of acts.entries()) {
    if (act.kind === "leave") show(module, state);
    else await ACTS[act.kind](document.querySelector("figure"), act);
    await drawn();
    const wrong = faults();
    if (wrong.length) return { index, act, wrong };
  }
  leave();
  await drawn();
  return null;
}

function oneOf(list, share) {
  return list[Math.min(list.length - 1, Math.floor(share * list.length))];
}

function visible(figure, selector) {
  return [...figure.querySelectorAll(selector)].filter((element) => element.checkVisibility());
}

function tell(element, ...types) {
  for (const type of types) element.dispatchEvent(new Event(type, { bubbles: true }));
}

const ACTS = {
  press(figure, { which }) {
    oneOf(
      visible(figure, "button, summary, input[type=radio], input[type=checkbox]"),
      which,
    )?.click();
  },

  slide(figure, { which, where }) {
    const input = oneOf(visible(figure, "input[type=range]"), which);
    if (!input) return;
    input.value = Number(input.min) + where * (Number(input.max) - Number(input.min));
    tell(input, "input", "change");
  },

  type(figure, { which, text }) {
    const input = oneOf(visible(figure, "input[type=text]"), which);
    if (!input) return;
    input.focus();
    input.value = text;
    tell(input, "input", "change");
  },

  choose(figure, { which, where }) {
    const select = oneOf(visible(figure, "select"), which);
    if (!select) return;
    oneOf([...select.options], where).selected = true;
    tell(select, "input", "change");
  },

  key(figure, { which, where }) {
    const element = oneOf(visible(figure, "button, input, select, [tabindex]"), which);
    if (!element) return;
    element.focus();
    const options = {
      key: oneOf(KEYS, where),
      shiftKey: (where * KEYS.length) % 1 > 0.5,
      bubbles: true,
      cancelable: true,
    };
    for (const type of ["keydown", "keyup"])
      element.dispatchEvent(new KeyboardEvent(type, options));
  },

  drag(figure, { which, where }) {
    const grips = visible(
      figure,
      "svg, canvas, button, td, [class*=plane], [class*=pixels], [class*=track]",
    );
    const element = oneOf(grips, which);
    if (!element) return;
    const box = element.getBoundingClientRect();
    const spots = [0.5, where, 1 - where, 3 * where - 1].map((share, i) => ({
      clientX: box.left + share * box.width,
      clientY: box.top + (i % 2 ? where : 1 - share) * box.height,
    }));
    const event = (type, spot, more = {}) =>
      new PointerEvent(type, {
        ...spot,
        pointerId: 1,
        button: 0,
        buttons: 1,
        pointerType: where < 0.3 ? "touch" : "mouse",
        isPrimary: true,
        bubbles: true,
        cancelable: true,
        ...more,
      });
    element.dispatchEvent(event("pointerover", spots[0], { buttons: 0 }));
    element.dispatchEvent(event("pointerdown", spots[0]));
    for (const spot of spots) element.dispatchEvent(event("pointermove", spot));
    element.dispatchEvent(
      event(where > 0.9 ? "pointercancel" : "pointerup", spots.at(-1), { buttons: 0 }),
    );
    element.dispatchEvent(event("pointerleave", spots.at(-1), { buttons: 0 }));
  },

  theme() {
    const { dataset } = document.documentElement;
    dataset.theme = dataset.theme === "dark" ? "light" : "dark";
  },

  resize(figure, { where }) {
    document.querySelector("main").style.width = `${Math.round(280 + 1000 * where)}px`;
  },

  wait(figure, { where }) {
    return new Promise((done) => setTimeout(done, 400 * where));
  },
};

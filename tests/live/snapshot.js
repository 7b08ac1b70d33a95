// Walks a live figure through its states, and writes down what it draws and says in each.
//
// Everything is text that a person can read in a diff: what stands in the picture, in the
// picture's own units and rounded, with its colours; names, values and roles of controls.
// Widths of words are never written down: they are another machine's.

/* global realFrame, realTimeout, waiting, axe -- gallery.py makes them */

const SHAPES = [
  "x",
  "y",
  "x1",
  "y1",
  "x2",
  "y2",
  "cx",
  "cy",
  "r",
  "rx",
  "width",
  "height",
  "dx",
  "dy",
];
SHAPES.push(
  "d",
  "points",
  "transform",
  "viewBox",
  "text-anchor",
  "marker-end",
  "colspan",
  "rowspan",
);
const STATES = ["disabled", "checked", "open", "aria-pressed", "aria-invalid", "aria-current"];
STATES.push(
  "aria-selected",
  "aria-expanded",
  "aria-hidden",
  "aria-live",
  "aria-busy",
  "href",
  "tabindex",
);
const LAYOUTS = ["flex", "grid", "inline-flex", "inline-grid", "contents", "table-cell"];
const LONGEST = 150; // of a line that holds several elements
const LONG_SHAPE = 120; // of a path: what is longer is told by its ends and a checksum
const MANY = 8; // controls alike: of more, four are used
const CONTROLS = "input, select, button, summary";
const TOUR = ".attnlab-tour";
const START_AGAIN = "Start again"; // a button's text or name
// What listens to keys of its own; boxes come last, for a new number draws the rest anew.
const KEY_STOPS = ["[tabindex='0'], [class*=handle]", "input:not([type=range], [type=radio])"];
const KEYS = ["End", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "Home", "ArrowUp"];
KEYS.push("ArrowDown", "ArrowRight"); // they end where they did not begin
const MIXED_KEYS = ["End", "ArrowLeft", "ArrowUp", "Enter"];
const STEP_KEYS = ["5", "2"]; // lead to steps of some figures
const TYPED_KEYS = ["1"]; // in a box, where they do not
// In a box: no number, long ones that some networks get wrong, and one that fits most.
const TYPED = ["<b>?", "385452587", "441001", "4"];
const PLAIN_CURSORS = ["auto", "default", "text", "help"]; // over what cannot be pressed
const FRAMES = 900; // a figure that moves for longer never comes to rest

// Rounds every number of a text, to tenths unless told otherwise: finer digits are another
// processor's.
function rounded(text, digits = 1) {
  const round = (number) => String(Number(Number(number).toFixed(digits)) + 0);
  return text.replace(/-?\d*\.\d+(e-?\d+)?|-?\d+e-?\d+/g, round);
}

function hex(colour) {
  const parts = colour.match(/-?\d*\.?\d+(e-?\d+)?/g);
  if (!parts || colour === "none" || colour.startsWith("url(")) return colour;
  const scale = colour.startsWith("color(") ? 255 : 1;
  const digits = parts.slice(0, 3).map((part) => {
    const level = Math.max(0, Math.min(255, Math.round(part * scale)));
    return level.toString(16).padStart(2, "0");
  });
  const alpha = parts.length > 3 ? Math.round(parts[3] * 100) / 100 : 1;
  return alpha === 0 ? "clear" : `#${digits.join("")}${alpha < 1 ? `/${alpha}` : ""}`;
}

function checksum(text) {
  let sum = 0;
  for (const sign of text) sum = (sum * 31 + sign.codePointAt(0)) % 65521;
  return sum;
}

function shape(text) {
  const full = rounded(text);
  if (full.length < LONG_SHAPE) return full;
  return `${full.slice(0, 40)}…${full.slice(-20)} (${full.length}, ${checksum(full)})`;
}

// The columns of a grid as the style sheet has them: what comes of it hangs on words.
function columnsOf(element) {
  return rounded(element.computedStyleMap().get("grid-template-columns").toString());
}

// What is drawn before and after an element by its own numbers, such as a bar below it.
function marksOf(element) {
  return ["before", "after"].flatMap((place) => {
    const { content, backgroundColor, width } = getComputedStyle(element, `::${place}`);
    if (content === "none") return [];
    const text = content === '""' ? "" : ` ${content}`;
    return [`${place}${text} ${hex(backgroundColor)}${parseFloat(width) ? "" : " empty"}`];
  });
}

// What the style sheets make of an element, as far as what is above does not have it too.
function look(element, style, above) {
  const told = [];
  const tell = (name, value, usual) =>
    value !== usual && told.push(name ? `${name} ${value}` : value);
  const inside = element instanceof SVGElement && element.tagName !== "svg";
  if (inside) {
    tell("touch", style.touchAction, "auto");
    for (const name of ["fill", "stroke"]) tell(name, hex(style[name]), hex(above[name]));
    tell("width", rounded(style.strokeWidth), rounded(above.strokeWidth));
    tell("dashes", rounded(style.strokeDasharray), above.strokeDasharray);
  } else {
    if (element.tagName !== "INPUT") tell("ink", hex(style.color), hex(above.color));
    if (element.type !== "range") tell("ground", hex(style.backgroundColor), "clear");
    if (style.backgroundImage !== "none") told.push("pattern");
    if (style.borderBottomStyle !== "none") tell("border", hex(style.borderBottomColor), "clear");
    // Whether the focus shows depends on what was pressed before, so it is left out.
    const ring = style.outlineStyle !== "none" && !element.matches(":focus");
    if (ring) tell("outline", hex(style.outlineColor), "clear");
    tell("touch", style.touchAction, "auto");
    tell("strike", style.textDecorationLine, "none");
    tell("align", style.textAlign, above.textAlign);
    tell("", style.whiteSpace, above.whiteSpace);
    if (LAYOUTS.includes(style.display)) tell("", style.flexWrap, "nowrap");
    tell("shifted", rounded(style.translate), "none");
    if (style.display.endsWith("grid")) tell("columns", columnsOf(element), "none");
    if (element.getAttribute("style")?.includes("--")) told.push(...marksOf(element));
    if (LAYOUTS.includes(style.display)) told.push(style.display);
    tell("", style.position, style.position === "relative" ? "relative" : "static");
  }
  tell("cursor", style.cursor, above.cursor);
  tell("size", rounded(style.fontSize), rounded(above.fontSize));
  tell("weight", style.fontWeight, above.fontWeight);
  tell("slant", style.fontStyle, above.fontStyle);
  tell("opacity", rounded(style.opacity, 2), "1");
  tell("", style.visibility, above.visibility);
  return told.length ? ` {${told.join(", ")}}` : "";
}

function nameOf(element) {
  const labels = element.matches("button") ? [] : element.labels; // which is slow to find
  const label = element.getAttribute("aria-label") ?? labels?.[0]?.textContent;
  const by = element.getAttribute("aria-labelledby");
  const name = label ?? (by && document.getElementById(by)?.textContent);
  return name ? ` “${name.trim().replace(/\s+/g, " ")}”` : "";
}

function valueOf(element) {
  if (element.tagName === "SELECT") return ` = ${element.selectedOptions[0]?.textContent}`;
  if (element.tagName !== "INPUT") return "";
  const { type, value, min, max, step } = element;
  if (type === "radio" || type === "checkbox") return ` ${type}${element.checked ? " on" : ""}`;
  const spoken = element.getAttribute("aria-valuetext");
  const bounds = type === "range" ? ` of ${min}…${max} by ${step}` : "";
  return ` ${type} = ${value}${bounds}${spoken ? ` (${spoken})` : ""}`;
}

// The colours of a canvas at some points, to sixteen steps each.
function painted(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const row = (y) =>
    Array.from({ length: 12 }, (_, column) => {
      const x = Math.floor(((column + 0.5) * canvas.width) / 12);
      const at = 4 * (y * canvas.width + x);
      return [...data.slice(at, at + 3)].map((level) => (level >> 4).toString(16)).join("");
    }).join(" ");
  return Array.from({ length: 6 }, (_, i) => row(Math.floor(((i + 0.5) * canvas.height) / 6)));
}

function attributes(element) {
  const told = [];
  const all = new Map([...element.attributes].map(({ name, value }) => [name, value]));
  if (all.get("role")) told.push(`[${all.get("role")}]`);
  for (const name of SHAPES.filter((one) => all.has(one)))
    told.push(`${name}=${shape(all.get(name))}`);
  for (const name of STATES.filter((one) => all.has(one))) {
    const value = all.get(name);
    if (value !== "false") told.push(value ? `${name}=${value}` : name);
  }
  if (all.get("style")) told.push(`(${rounded(all.get("style"), 2)})`);
  return told.map((one) => ` ${one}`).join("");
}

// The lines of an element and of all that one sees in it; `above` is its parent's style.
function write(node, above = getComputedStyle(node.parentElement)) {
  if (node.nodeType === Node.TEXT_NODE) {
    const text = node.textContent.trim().replace(/\s+/g, " ");
    return text ? [text.replace(/\d+(\.\d+)?(?= ms)/g, "#")] : [];
  }
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches("script, style, option, defs")) return [];
  const style = getComputedStyle(node);
  if (style.display === "none") return [];
  const classes = [...node.classList].map((name) => `.${name}`).join("");
  const described = nameOf(node) + valueOf(node) + attributes(node) + look(node, style, above);
  const head = `${node.tagName.toLowerCase()}${classes}${described}`;
  const parts = [...node.childNodes]
    .map((child) => write(child, style))
    .filter((lines) => lines.length);
  if (node.tagName === "CANVAS") parts.push(...painted(node).map((line) => [line]));
  const line = [head, ...parts.flat()].join(" | ");
  if (parts.every((lines) => lines.length === 1) && line.length < LONGEST) return [line];
  return [head, ...parts.flat().map((each) => `  ${each}`)];
}

// Comes back once nothing moves, nothing waits and nothing is under way.
async function settle(figure) {
  let changes = 0;
  const watcher = new MutationObserver(() => (changes += 1));
  watcher.observe(figure, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
  for (let frames = 0, still = 0; still < 2; frames += 1) {
    if (frames > FRAMES) throw new Error(`${figure.dataset.figure} does not come to rest`);
    const seen = changes;
    await new Promise((done) => realFrame(() => realTimeout(done)));
    const late = document.querySelector("script[src]:not([data-came])");
    const waits = waiting.size > 0 || late || figure.querySelector("[aria-busy=true]");
    still = waits || changes !== seen ? 0 : still + 1;
  }
  watcher.disconnect();
  for (const animation of document.getAnimations()) animation.finish();
}

const told = (element) => nameOf(element).trim() || element.textContent.trim() || element.className;

// Of many alike, say the pixels of a picture: the first, the last, two between.
function sample(group) {
  if (group.length <= MANY) return group;
  const at = (share) => group[Math.floor(share * (group.length - 1))];
  return [at(0), at(0.3), at(0.6), at(1)];
}

// A control by what it is called: what a change draws anew is another element.
function keysOf(figure) {
  const counts = new Map();
  return [...figure.querySelectorAll(CONTROLS)]
    .filter((one) => one.checkVisibility() && !one.disabled && !one.closest(TOUR))
    .map((element) => {
      const kind = element.type ?? "summary";
      const name = `${kind} ${told(element)}`;
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return { element, kind, key: `${name} ${count}` };
    });
}

const kindOf = ({ tagName, classList }) => `${tagName.toLowerCase()} ${classList[0] ?? ""}`.trim();
const groupOf = ({ element, kind }) => `${kind} in ${element.parentElement.className}`;

// Of controls that are alike some, each with what finds it as it stands then.
function findableControls(figure) {
  const groups = Object.groupBy(keysOf(figure), groupOf);
  return Object.values(groups)
    .flatMap(sample)
    .map(({ key }) => [key, () => keysOf(figure).find((one) => one.key === key)]);
}

function enter(element, value) {
  element.value = value;
  element.dispatchEvent(new Event("input", { bubbles: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

// What can be done with a control, and undone: [what, how, back].
function doings({ element, kind }) {
  const before = element.value;
  const back = (now) => enter(now, before);
  if (kind === "range") {
    const goal = before === element.max ? element.min : element.max;
    return [[`to ${goal}`, (now) => enter(now, goal), back]];
  }
  if (kind === "select-one") {
    const others = [...element.options].filter((one) => !one.selected && !one.disabled);
    return sample(others).map((one) => [
      `to ${one.textContent}`,
      (now) => enter(now, one.value),
      back,
    ]);
  }
  if (["text", "number", "search"].includes(kind)) {
    return TYPED.map((text) => [`with ${text}`, (now) => enter(now, text), back]);
  }
  if (kind === "radio") {
    if (element.checked) return [];
    const group = [...document.getElementsByName(element.name)];
    const chosen = group.findIndex((one) => one.checked);
    return [
      [
        "chosen",
        (now) => now.click(),
        (now) => document.getElementsByName(now.name)[chosen]?.click(),
      ],
    ];
  }
  if (kind === "checkbox") return [["turned", (now) => now.click(), (now) => now.click()]];
  return [["pressed", (now) => now.click(), null]];
}

/** What a figure shows in this theme once nothing moves: its lines. */
async function atRest(figure, theme) {
  document.documentElement.dataset.theme = theme;
  figure.scrollIntoView();
  await settle(figure);
  return write(figure);
}

// Each of the following uses a figure in some way, and yields what was done once nothing
// moves any more.

// Every control in all ways, and puts it back.
async function* walk(figure) {
  for (const [key, find] of findableControls(figure)) {
    const all = find() ? doings(find()) : [];
    for (const [what, act] of all) {
      if (!find()) break;
      act(find().element);
      await settle(figure);
      yield `${key} ${what}`;
    }
    const undo = all.at(-1)?.[2];
    if (!undo || !find()) continue;
    undo(find().element);
    await settle(figure);
  }
}

// All kinds of uses one after the other, none put back. They come in the order of a checksum
// of their names, so that a new control leaves the order of the others.
async function* mix(figure, { seed, most }) {
  const done = new Set();
  const order = ([what]) => checksum(`${seed} ${what} ${seed}`);
  while (done.size < most) {
    const left = usesOf(figure).filter(([what]) => !done.has(what));
    if (!left.length) return;
    const [what, act] = left.reduce((one, other) => (order(one) <= order(other) ? one : other));
    done.add(what);
    act();
    await settle(figure);
    yield what;
  }
}

// Each element with a name that tells its kind and its number among these.
function numbered(elements) {
  const counts = new Map();
  return elements.map((element) => {
    const kind = kindOf(element);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return [`${kind} ${counts.get(kind)}`, element];
  });
}

// What can be done with a figure as it stands: [what, how].
function usesOf(figure) {
  const controls = findableControls(figure).flatMap(([key, find]) => {
    const all = doings(find());
    const some = find().kind === "text" ? all.slice(-1) : all;
    return some.map(([what, act]) => [`${key} ${what}`, () => act(find().element)]);
  });
  const taps = numbered(tappedParts(figure)).map(([name, part]) => [
    `${name} tapped`,
    () => tap(part),
  ]);
  const keys = numbered(keyStops(figure, KEY_STOPS[0])).flatMap(([name, stop]) =>
    MIXED_KEYS.map((key) => [`${key} at ${name}`, () => pressAt(stop, key)]),
  );
  return [...controls, ...taps, ...keys];
}

// From stop to stop of a figure's tour, once back, and ends it, twice; says where the focus
// is then.
async function* tour(figure) {
  const [back, next, explore] = figure.querySelectorAll(`${TOUR} .tour-bar button`);
  if (!explore?.checkVisibility()) return;
  const pressButton = async (button, where) => {
    button.focus();
    button.click();
    await settle(figure);
    const { activeElement, body } = document;
    const focus = activeElement === body ? "nothing" : told(activeElement);
    return `${where}, the focus on ${focus}, ${told(button)} pressed`;
  };
  for (let stop = 2; next.checkVisibility(); stop += 1) {
    yield await pressButton(next, `stop ${stop} of the tour`);
    if (stop > 2) continue;
    yield await pressButton(back, "stop 1");
    yield await pressButton(next, "stop 2");
  }
  yield await pressButton(explore, "all controls");
  yield await pressButton(figure.querySelector(`${TOUR} > button`), "the last stop");
  yield await pressButton(explore, "all controls");
}

// “Start again”, where a figure has such a button.
async function* startAgain(figure) {
  const button = keysOf(figure).find(({ element }) =>
    [`“${START_AGAIN}”`, START_AGAIN].includes(told(element)),
  );
  if (!button) return;
  button.element.click();
  await settle(figure);
  yield `${START_AGAIN} pressed`;
}

// What the Tab key reaches and what listens to keys: of many alike some.
function keyStops(figure, selector) {
  const stops = [...figure.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const groups = Object.groupBy(stops, ({ tagName, className }) => `${tagName} ${className}`);
  return Object.values(groups).flatMap(sample);
}

// Where keys lead from what the Tab key reaches, and what they do to it.
async function* useKeys(figure) {
  for (const fold of figure.querySelectorAll("details")) fold.open = true;
  for (const selector of KEY_STOPS) {
    for (const stop of keyStops(figure, selector)) yield* useKeysFrom(stop, figure);
  }
}

async function* useKeysFrom(stop, figure) {
  let last = write(figure).join();
  const changed = async () => {
    await settle(figure);
    const before = last;
    last = write(figure).join();
    return last !== before;
  };
  const name = told(stop);
  stop.focus();
  const trail = KEYS.map((key) => `${key} → ${press(key)}`);
  if ((await changed()) || document.activeElement !== stop)
    yield `from ${name}: ${trail.join(", ")}`;
  const entered = press("Enter");
  if (await changed()) yield `Enter → ${entered}`;
  for (const digit of stop.matches("input") ? TYPED_KEYS : STEP_KEYS) {
    const reached = press(digit);
    if (await changed()) yield `${digit} → ${reached}`;
  }
  const table = document.activeElement.closest("table");
  if (!table) return;
  [...table.querySelectorAll("td"), table].forEach(moveMouseTo);
  takeMouseFrom(table); // what the focus shows comes back
  if (await changed()) yield "the mouse has gone over its table";
}

function pressAt(stop, key) {
  stop.focus();
  press(key);
}

// Presses a key; returns what has the focus then, or the number in it.
function press(key) {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(event);
  return document.activeElement.value || told(document.activeElement);
}

// What is no control and yet has the cursor of one, such as a row or a plane: the first and
// the last of each kind.
function tappedParts(figure) {
  const cursor = (element) => getComputedStyle(element).cursor;
  const parts = [...figure.querySelectorAll(".attnlab-body *")].filter(
    (part) =>
      !PLAIN_CURSORS.includes(cursor(part))
      && cursor(part) !== cursor(part.parentElement)
      && part.checkVisibility()
      && !part.closest(`${CONTROLS}, label`),
  );
  const groups = Object.groupBy(parts, kindOf);
  return Object.values(groups).flatMap((all) => [...new Set([all[0], all.at(-1)])]);
}

const nameOfPart = (part) =>
  `${part.tagName.toLowerCase()} ${told(part).replace(/\s+/g, " ").slice(0, 60)}`;

// A finger taps all these.
async function* tapParts(figure) {
  for (const part of tappedParts(figure)) {
    if (!part.isConnected) continue;
    tap(part);
    await settle(figure);
    yield `${nameOfPart(part)} tapped`;
  }
}

// Taps right of the middle of an element and below it.
function tap(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  const at = { clientX: left + 0.7 * width, clientY: top + 0.6 * height, button: 0 };
  element.setPointerCapture = () => {}; // the true one refuses a finger made here
  const finger = { ...at, pointerType: "touch", bubbles: true, cancelable: true, isPrimary: true };
  for (const type of ["pointerdown", "pointerup", "click"])
    element.dispatchEvent(new PointerEvent(type, finger));
  delete element.setPointerCapture;
}

// The mouse over all of it: what is seen then was seen before.
async function* passMouse(figure) {
  const all = [...figure.querySelectorAll(".attnlab-body *")];
  all.forEach(moveMouseTo);
  all.forEach(takeMouseFrom); // from a table only after its last cell
  await settle(figure);
  yield "the mouse has gone over all of it";
}

const mouse = (type, bubbles) => new PointerEvent(type, { pointerType: "mouse", bubbles });

function moveMouseTo(element) {
  element.dispatchEvent(mouse("pointerover", true));
  element.dispatchEvent(mouse("pointerenter", false));
}

function takeMouseFrom(element) {
  element.dispatchEvent(mouse("pointerout", true));
  element.dispatchEvent(mouse("pointerleave", false));
}

// What stands out of the page, or letters out of their drawing; and sentences of no sense.
function roomFaults(figure) {
  const { clientWidth, scrollWidth } = document.documentElement;
  const found = scrollWidth > clientWidth ? [`the page is ${scrollWidth} pixels wide`] : [];
  const shown = [...figure.querySelectorAll("svg text")].filter((text) => text.checkVisibility());
  for (const text of shown) {
    const { left, right } = text.getBoundingClientRect();
    const frame = text.ownerSVGElement.getBoundingClientRect();
    if (left < frame.left - 1 || right > frame.right + 1)
      found.push(`cut off: ${text.textContent}`);
  }
  if (/NaN|undefined|Infinity/.test(figure.innerText)) found.push("NaN, undefined or Infinity");
  return found;
}

async function axeFaults(figure, rules) {
  // Behind bad input a picture is faded on purpose: it is no answer to what was typed.
  const faded = [...figure.querySelectorAll('.al-controls:has([aria-invalid="true"]) ~ *')];
  const asked = faded.length ? { include: [figure], exclude: faded } : figure;
  const { violations } = await axe.run(asked, { ...rules, resultTypes: ["violations"] });
  return violations
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

// Takes a figure's siblings out of the page; what it returns puts them back.
function removeSiblings(figure) {
  const all = [...figure.parentElement.children];
  const place = all.indexOf(figure);
  for (const other of all) if (other !== figure) other.remove();
  return () => {
    figure.before(...all.slice(0, place));
    figure.after(...all.slice(place + 1));
  };
}

/** What is wrong in some state of a figure: of its room, and by axe where there are rules. */
async function faultsOf(figure, rules) {
  const found = [];
  const putBack = removeSiblings(figure); // axe reads the whole page, whatever it is asked of
  const look = async (what) => {
    const wrong = [...roomFaults(figure), ...(rules ? await axeFaults(figure, rules) : [])];
    found.push(...wrong.map((fault) => `${what}: ${fault}`));
  };
  try {
    figure.scrollIntoView();
    await settle(figure);
    await look("as it opens");
    for await (const what of tour(figure)) await look(what);
    for await (const what of walk(figure)) await look(what);
  } finally {
    putBack();
  }
  return found;
}

const USES = { tour, passMouse, useKeys, tapParts, walk, mix, startAgain };

/**
 * What a figure shows while it is used in one of these ways: a list of [what was done,
 * lines]. `until` ends at the state of that name, with the figure in it.
 */
async function states(figure, { use, until, ...options }) {
  const found = [];
  for await (const what of USES[use](figure, options)) {
    found.push([what, write(figure)]);
    if (what === until) break;
  }
  return found;
}

// What gallery.py and test_snapshots.py call.
Object.assign(globalThis, { atRest, states, faultsOf });

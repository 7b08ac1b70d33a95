// A tour: a figure opens with one thing to see at a time, before all its controls are there.
//
// A stop is { say, set, mark }: a sentence or two; the traits that it sets (all others are as
// the figure opened); a selector of the parts that it speaks of. What stands
// in the way of a first look (.al-controls, .al-note, .al-more, but for what a stop marks or
// .al-first) is hidden by live.css while the figure has `data-guided`; what can be seen but
// not be used yet is .al-still.

/** The tour's element, to stand above the figure's body; null for a figure without stops. */
export function createTour(figure, model, stops, signal) {
  if (!stops?.length) return null;
  const opening = openingTraits(model, stops);
  const parts = tourParts(stops.length);
  let at = 0;

  function update() {
    const guided = figure.hasAttribute("data-guided");
    parts.says.textContent = stops[at].say;
    parts.place.textContent = `${at + 1} of ${stops.length}`;
    parts.bar.hidden = parts.says.hidden = !guided;
    parts.again.hidden = guided;
    parts.back.hidden = at === 0;
    parts.next.hidden = at === stops.length - 1;
    parts.explore.classList.toggle("al-primary", parts.next.hidden);
    follow();
  }

  // A figure may draw its parts anew.
  function follow() {
    const guided = figure.hasAttribute("data-guided");
    markParts(figure, guided ? stops[at].mark : "");
    for (const part of figure.querySelectorAll(".al-still")) part.inert = guided;
  }

  function goToStop(stop) {
    at = stop;
    figure.setAttribute("data-guided", "");
    for (const [name, value] of Object.entries({ ...opening, ...stops[at].set }))
      model.set(name, value);
    model.save_changes();
    update();
  }

  function pressStop(stop, pressed) {
    goToStop(stop);
    if (!model.send)
      history.replaceState(history.state, "", `#${figureName(figure)}--tour-${at + 1}`);
    if (pressed.hidden) (parts.next.hidden ? parts.explore : parts.next).focus();
  }

  parts.back.addEventListener("click", () => pressStop(at - 1, parts.back));
  parts.next.addEventListener("click", () => pressStop(at + 1, parts.next));
  parts.again.addEventListener("click", () => pressStop(at, parts.again));
  parts.explore.addEventListener("click", () => {
    figure.removeAttribute("data-guided");
    update();
    parts.again.focus();
  });
  figure.setAttribute("data-guided", "");
  if (!model.send) goToStop(0); // with a kernel the widget keeps the state it was made in
  const observer = new MutationObserver(follow);
  observer.observe(figure, { childList: true, subtree: true });
  signal.addEventListener("abort", () => observer.disconnect());
  followAddress(figure, stops.length, goToStop, signal);
  update();
  return parts.element;
}

// The values of all traits as the figure opens; with a kernel, of those that some stop sets.
function openingTraits(model, stops) {
  if (!model.send) return Object.fromEntries(model.state);
  const names = stops.flatMap(({ set }) => Object.keys(set));
  return Object.fromEntries(names.map((name) => [name, model.get(name)]));
}

function tourParts(stops) {
  const says = makeElement("p", "tour-says");
  says.setAttribute("aria-live", "polite");
  const [back, next] = [createButton("◂\uFE0E Back"), createButton("Next ▸\uFE0E")];
  const [explore, again] = [createButton("Explore"), createButton("Tour")];
  explore.title = `Leave the tour of ${stops} stops: all controls`;
  again.title = "Take the tour up again";
  next.classList.add("al-primary");
  const place = makeElement("span", "tour-place");
  const bar = makeElement("div", "tour-bar", back, place, next, explore);
  const element = makeElement("div", "attnlab-tour", says, bar, again);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", "Tour");
  return { element, says, bar, back, place, next, explore, again };
}

function makeElement(tag, className, ...children) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...children);
  return element;
}

function createButton(text) {
  const button = makeElement("button", "", text);
  button.type = "button";
  return button;
}

function markParts(figure, selector) {
  const wanted = new Set(selector ? figure.querySelectorAll(selector) : []);
  for (const part of figure.querySelectorAll(".tour-mark"))
    if (!wanted.has(part)) part.classList.remove("tour-mark");
  for (const part of wanted) part.classList.add("tour-mark");
}

// "step-1" is the first figure of this kind in the page, as in the links of parts/address.js.
function figureName(figure) {
  const { figure: kind } = figure.dataset;
  const all = [...document.querySelectorAll(`[data-figure="${kind}"]`)];
  return `${kind}-${all.indexOf(figure) + 1}`;
}

// An address that ends in "#step-1--tour-3" opens the third stop.
function followAddress(figure, stops, goTo, signal) {
  function follow() {
    const [name, stop] = location.hash.slice(1).split("--tour-");
    if (name !== figureName(figure) || !(Number(stop) >= 1 && Number(stop) <= stops)) return;
    goTo(Math.floor(Number(stop)) - 1);
    requestAnimationFrame(() => figure.scrollIntoView());
  }
  window.addEventListener("hashchange", follow, { signal });
  follow();
}

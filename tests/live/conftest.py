"""What the tests of the live figures share."""

from pathlib import Path

import pytest
import traitlets
from drawing import TIMEOUT_MS, fail_on_page_errors, figure_opener, module_importer
from learning import MODULES
from live_figures import late_script
from playwright.sync_api import Locator, expect

from attnlab.live import LiveFigure
from attnlab.live.page import late_weight_names

# What a reader does, and the frame after it, in which a figure draws what follows.
PAGE_ACTIONS = [
    *("check", "clear", "click", "dblclick", "dispatch_event", "drag_to", "fill"),
    *("focus", "hover", "press", "press_sequentially", "select_option"),
    *("set_checked", "tap", "uncheck"),
]
NEXT_FRAME = """() => /native code/.test(requestAnimationFrame) // no test's own clock
  && new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 1000);
  })"""

expect.set_options(timeout=TIMEOUT_MS)


def pytest_configure(config):
    config.addinivalue_line("markers", "touch: the page is used with fingers")
    config.addinivalue_line("markers", "computes: in a page that a file's tests share")


@pytest.fixture(autouse=True)
def wait_for_frame_after_actions(monkeypatch):
    """What a test reads after it has pressed something is what is drawn after that."""

    def wait_after(action):
        def act_and_wait(locator, *args, **options):
            action(locator, *args, **options)
            locator.page.evaluate(NEXT_FRAME)

        return act_and_wait

    for name in PAGE_ACTIONS:
        monkeypatch.setattr(Locator, name, wait_after(getattr(Locator, name)))


@pytest.fixture
def page(browser, request):
    """An empty page; the test fails if a script raises in it or logs an error.

    Marked `touch`, a test has a page under fingers; marked `computes`, one that all
    such tests of its file import modules into.
    """
    if request.node.get_closest_marker("computes"):
        yield request.getfixturevalue("compute_page")
        return
    touch = bool(request.node.get_closest_marker("touch"))
    with fail_on_page_errors(browser.new_page(has_touch=touch)) as page:
        yield page


@pytest.fixture(scope="module")
def compute_page(browser):
    """A page for all tests of a file that only compute."""
    with fail_on_page_errors(browser.new_page()) as page:
        yield page


@pytest.fixture
def modules(page):
    """Import modules of `live/js` in a page: `modules("math/tensor.js")`.

    They come as they are, one by one, so that each must be a module by itself.
    What they export lands on `window`.
    """
    return module_importer(page)


@pytest.fixture(scope="module")
def training_page(browser):
    """A page with the models that learn in it, for all tests of a file."""
    with fail_on_page_errors(browser.new_page()) as page:
        module_importer(page)(*MODULES)
        yield page


@pytest.fixture(scope="session")
def weight_scripts(tmp_path_factory) -> list[Path]:
    """The scripts that the built book has for what comes late, written once."""
    folder = tmp_path_factory.mktemp("weights")
    for name in late_weight_names():
        (folder / f"{name}.js").write_text(late_script(name))
    return list(folder.iterdir())


@pytest.fixture
def show_figures(page, tmp_path, weight_scripts):
    """Open live figures in a static page: `show_figures(Hero(), dark=True)`."""
    return figure_opener(page, tmp_path, weight_scripts)


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """The module of a small figure, which shows one number."""
    path = tmp_path / "toy.js"
    path.write_text(TOY_MODULE, encoding="utf-8")
    return path


@pytest.fixture
def make(toy) -> type[LiveFigure]:
    """The class of a small figure."""

    class Toy(LiveFigure):
        figure = "toy"
        title = "A title"
        caption = "A caption."
        description = "One would see a number."
        script = toy
        number = traitlets.Int(5).tag(sync=True)
        name = traitlets.Unicode("en-de-dot").tag(sync=True)
        unseen = traitlets.Int(3)

    return Toy


@pytest.fixture
def view(page, modules):
    """Show a figure as anywidget does, in a page whose `widget` is the model."""

    def render(figure: LiveFigure, answer: str = "null") -> None:
        modules()  # at an address of its own, where a browser keeps things
        state = {**figure.state(), "_frame": figure._frame, "_weights": {}}
        page.evaluate(
            f"""async ([source, state]) => {{
              {FAKE_WIDGET}
              const url = URL.createObjectURL(
                new Blob([source], {{ type: "text/javascript" }}));
              const module = (await import(url)).default;
              window.widget = new FakeWidget(state, (message) => ({answer}));
              window.close = module.render({{ model: widget, el: document.body }});
            }}""",
            [figure._esm, state],
        )

    return render


# Stands in for the model that anywidget hands to a view.
FAKE_WIDGET = """
  class FakeWidget {
    constructor(state, answer) {
      Object.assign(this, { state, answer, callbacks: {}, saved: 0 });
    }
    get(name) { return this.state[name]; }
    set(name, value) {
      this.state[name] = value;
      this.fire(`change:${name}`);
    }
    save_changes() { this.saved += 1; }
    on(event, callback) { (this.callbacks[event] ??= []).push(callback); }
    off(event, callback) {
      this.callbacks[event] = this.callbacks[event].filter((one) => one !== callback);
    }
    fire(event, ...rest) {
      for (const callback of this.callbacks[event] ?? []) callback(...rest);
    }
    send(message) {
      const { content, base64 } = this.answer(message);
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const roomy = new Uint8Array(bytes.length + 3); // a view into something larger
      roomy.set(bytes, 3);
      this.fire("msg:custom", content, [new DataView(roomy.buffer, 3)]);
    }
  }
"""

TOY_MODULE = """\
import { trainedModels } from "../../models/weights.js";
import { uid } from "../../shell/shelf.js";

export function render({ model, el, say }) {
  const trained = trainedModels(model);
  const input = document.createElement("input");
  input.id = uid();
  input.value = model.get("number");
  input.addEventListener("input", () => {
    model.set("number", Number(input.value));
    model.save_changes();
  });
  const button = document.createElement("button");
  button.addEventListener("click", async () => {
    try {
      const { config } = await trained.load(model.get("name"));
      say(`The width is ${config.d_model}.`);
    } catch (error) {
      say(error.message);
    }
  });
  const draw = () => {
    if (model.get("number") < 0) throw new Error("it is negative");
    const name = model.get("name");
    say(`The number is ${model.get("number")}, ${name} is ${trained.ready(name) ? "" : "not "}here.`);
  };
  model.on("change:number", draw);
  el.append(input, button);
  draw();
}
"""  # noqa: E501

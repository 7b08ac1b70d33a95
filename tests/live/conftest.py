"""What the tests of the live figures share."""

from pathlib import Path

import pytest
from attnlab.live.bundle import JS

TYPES = {".js": "text/javascript", ".html": "text/html"}
ORIGIN = "http://attnlab.test"


@pytest.fixture
def page(browser):
    """An empty page; the test fails if a script raises in it or logs an error."""
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda said: errors.append(said.text) if said.type == "error" else 0
    )
    yield page
    page.close()
    assert errors == []


@pytest.fixture
def modules(page):
    """Import modules of `live/js` in a page: `modules("seq2seq.js", "tensor.js")`.

    They come as they are, one by one, so that each must be a module by itself.
    What they export lands on `window`.
    """

    def answer(route):
        path = JS / route.request.url.removeprefix(ORIGIN).strip("/")
        if path.is_file():
            route.fulfill(path=path, content_type=TYPES[path.suffix])
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/index.html")

    def load(*names: str) -> None:
        for name in names:
            page.evaluate(
                "async (url) => { Object.assign(window, await import(url)); }",
                f"{ORIGIN}/{name}",
            )

    return load


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """The module of a small figure, which shows one number."""
    path = tmp_path / "toy.js"
    path.write_text(TOY, encoding="utf-8")
    return path


TOY = """\
import { uid } from "./mount.js";

export function renderToy({ model, el, say, assets }) {
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
      const { config } = await assets.model(model.get("name"));
      say(`The width is ${config.d_model}.`);
    } catch (error) {
      say(error.message);
    }
  });
  const draw = () => {
    if (model.get("number") < 0) throw new Error("it is negative");
    const name = model.get("name");
    say(`The number is ${model.get("number")}, ${name} is ${assets.ready(name) ? "" : "not "}here.`);
  };
  model.on("change:number", draw);
  el.append(input, button);
  draw();
}
"""  # noqa: E501

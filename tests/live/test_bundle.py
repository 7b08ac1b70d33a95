"""Joining modules into one: nothing lost, nothing twice, no rule broken unnoticed."""

import pytest

from attnlab.live.bundle import JS, bundle


def write_modules(folder, **sources):
    """Write modules of these names and sources; `a` is a figure's."""
    for name, source in sources.items():
        (folder / f"{name}.js").write_text(source, encoding="utf-8")
    return {"toy": folder / "a.js"}


def test_js_modules_import_on_their_own(page, modules):
    names = {path.relative_to(JS).as_posix() for path in JS.rglob("*.js")} - {
        "shell/loader.js"
    }
    assert "models/seq2seq.js" in names
    modules(*names)


def test_bundle_runs_as_its_modules(page, tmp_path):
    figures = write_modules(
        tmp_path,
        a='import { c, two } from "./b.js";\nimport {\n  d,\n} from "./d.js";\n'
        "const own = 10;\nexport async function render() {}\n"
        "globalThis.seen = [own, c, two(), d, new Date(0).getTime()];\n",
        b='import { d } from "./d.js";\nconst own = 1;\nexport const c = own + d;\n'
        "export function two() {\n  return own + 1;\n}\n",
        d="globalThis.runs = (globalThis.runs ?? 0) + 1;\nexport const d = 100;\n",
    )
    page.goto("about:blank")
    page.evaluate(
        """(source) =>
          import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })))
        """,
        bundle(figures),
    )
    assert page.evaluate("[seen, runs]") == [[10, 101, 2, 100, 0], 1]


def test_bundle_rejects_circular_imports(tmp_path):
    figures = write_modules(
        tmp_path,
        a='import { b } from "./b.js";\nexport function render() {}\n',
        b='import { render } from "./a.js";\nexport const b = 2;\n',
    )
    with pytest.raises(ValueError, match="cycle"):
        bundle(figures)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('import * as x from "../../math/tensor.js";', "cannot bundle"),
        ("export default 1;", "cannot bundle"),
        ("export { render };", "cannot bundle"),
        ('import { sofmax } from "../../math/tensor.js";', "not export sofmax"),
        ("export function other() {}", r"a\.js does not export render"),
    ],
)
def test_bundle_names_broken_rule(tmp_path, line, complaint):
    render = "" if line.startswith("export function") else "export function render() {}"
    figures = write_modules(tmp_path, a=f"{line}\n{render}\n")
    with pytest.raises(ValueError, match=complaint):
        bundle(figures)

"""Joining modules into one: nothing lost, nothing twice, no rule broken unnoticed."""

import re

import pytest

from attnlab.live.bundle import JS, bundle


def place(path):
    return path.relative_to(JS).as_posix()


def written(folder, **sources):
    for name, source in sources.items():
        (folder / f"{name}.js").write_text(source, encoding="utf-8")
    return {"toy": folder / "a.js"}


def test_every_module_is_one_by_itself(page, modules):
    names = {place(path) for path in JS.rglob("*.js")} - {"shell/loader.js"}
    assert "models/seq2seq.js" in names
    modules(*names)


def test_figures_share_their_modules_each_of_which_comes_once_and_after_its_own():
    figures = {name: JS / f"figures/{name}/{name}.js" for name in ("hero", "alignment")}
    text = bundle(figures)
    order = re.findall(r'^modules\["([\w./-]+)"\] = ', text, flags=re.MULTILINE)
    assert len(order) == len(set(order))
    assert {"figures/hero/hero.js", "models/seq2seq.js", "shell/mount.js"} < set(order)
    for name in order:
        source = (JS / name).read_text(encoding="utf-8")
        for needed in re.findall(r'from "([\w./-]+\.js)"', source):
            needed = place((JS / name).parent.joinpath(needed).resolve())
            assert order.index(needed) < order.index(name)
        for line in re.findall(r"^(?!import|export|[} ]).+$", source, re.MULTILINE):
            assert line in text


def test_a_bundle_runs_as_its_modules_do(page, tmp_path):
    figures = written(
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


def test_modules_that_import_each_other_are_refused(tmp_path):
    figures = written(
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
        ('import { softmax as s } from "../../math/tensor.js";', "cannot bundle"),
        ('import x from "../../math/tensor.js";', "cannot bundle"),
        ("export default 1;", "cannot bundle"),
        ("export let x = 1;", "cannot bundle"),
        ("export { render };", "cannot bundle"),
        ('import { sofmax } from "../../math/tensor.js";', "not export sofmax"),
    ],
)
def test_a_broken_rule_is_named(tmp_path, line, complaint):
    figures = written(tmp_path, a=f"{line}\nexport function render() {{}}\n")
    with pytest.raises(ValueError, match=complaint):
        bundle(figures)


def test_a_module_without_its_render_function_is_named(tmp_path):
    figures = written(tmp_path, a="export function other() {}\n")
    with pytest.raises(ValueError, match=r"a\.js does not export render"):
        bundle(figures)

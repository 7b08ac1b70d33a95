"""Joining modules into one: nothing lost, nothing twice, no rule broken unnoticed."""

import re

import pytest

from attnlab.live.bundle import JS, bundle, top_level_names

FIGURES = ["hero", "bottleneck", "alignment"]


def place(path):
    return path.relative_to(JS).as_posix()


def written(folder, **sources):
    for name, source in sources.items():
        (folder / f"{name}.js").write_text(source, encoding="utf-8")
    return folder


def test_no_two_modules_declare_the_same_name():
    owner = {}
    for path in sorted(JS.rglob("*.js")):
        for name in top_level_names(path.read_text(encoding="utf-8")):
            assert name not in owner, f"{name} is in {owner[name]} and in {place(path)}"
            owner[name] = place(path)
    assert {"translate", "makeModel", "mountPage", "softmax"} <= set(owner)


def test_every_module_is_one_by_itself(page, modules):
    names = [place(path) for path in sorted(JS.rglob("*.js"))]
    assert "models/seq2seq.js" in names
    modules(*names)


@pytest.mark.parametrize("figure", FIGURES)
def test_a_bundle_is_its_sources_without_import_and_export(figure):
    main = f"figures/{figure}/{figure}.js"
    text = bundle(JS / main, f"render{figure.capitalize()}")
    parts = re.split(r"^// ([\w/-]+\.js)\n", text, flags=re.MULTILINE)[1:]
    names, bodies = parts[::2], parts[1::2]
    assert len(names) == len(set(names))
    assert {main, "shell/mount.js", "models/seq2seq.js"} <= set(names)
    for name, body in zip(names, bodies, strict=True):
        source = (JS / name).read_text(encoding="utf-8")
        source = re.sub(r"^import [^;]*;\n", "", source, flags=re.MULTILINE)
        source = re.sub(r"^export ", "", source, flags=re.MULTILINE)
        # The last module is followed by what exports `mount` and the default.
        assert body.strip() == source.strip() or (
            name == names[-1] and body.startswith(source)
        )


def test_each_module_comes_after_those_it_imports():
    text = bundle(JS / "figures/hero/hero.js", "renderHero")
    order = re.findall(r"^// ([\w/-]+\.js)$", text, flags=re.MULTILINE)
    for name in order:
        source = (JS / name).read_text(encoding="utf-8")
        for needed in re.findall(r'from "([\w./-]+\.js)"', source):
            needed = place((JS / name).parent.joinpath(needed).resolve())
            assert order.index(needed) < order.index(name)


def test_modules_that_import_each_other_are_refused(tmp_path):
    written(
        tmp_path,
        a='import { b } from "./b.js";\nexport function r() {}\n',
        b='import { r } from "./a.js";\nexport const b = 2;\n',
    )
    with pytest.raises(ValueError, match="cycle"):
        bundle(tmp_path / "a.js", "r")


def test_a_module_that_two_others_import_comes_once(tmp_path):
    written(
        tmp_path,
        a='import { b } from "./b.js";\nimport {\n  c,\n} from "./c.js";\n'
        "export function r() {}\n",
        b='import { c } from "./c.js";\nexport const b = 2;\n',
        c="export const c = 3;\n",
    )
    text = bundle(tmp_path / "a.js", "r")
    assert text.index("const c = 3") < text.index("const b = 2")
    assert text.index("const b = 2") < text.index("function r()")
    assert text.count("const c = 3") == 1


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('import * as x from "../../math/tensor.js";', "cannot bundle"),
        ('import { softmax as s } from "../../math/tensor.js";', "cannot bundle"),
        ('import x from "../../math/tensor.js";', "cannot bundle"),
        ("export default 1;", "cannot bundle"),
        ("export { r };", "cannot bundle"),
        ("const mountView = 1;", "both declare mountView"),
    ],
)
def test_a_broken_rule_is_named(tmp_path, line, complaint):
    written(tmp_path, a=f"{line}\nexport function r() {{}}\n")
    with pytest.raises(ValueError, match=complaint):
        bundle(tmp_path / "a.js", "r")


def test_a_module_without_its_render_function_is_named(tmp_path):
    written(tmp_path, a="export function other() {}\n")
    with pytest.raises(ValueError, match=r"a\.js does not export a function renderA"):
        bundle(tmp_path / "a.js", "renderA")

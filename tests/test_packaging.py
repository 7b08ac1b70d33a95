"""The pins of requirements.txt and the ranges of pyproject.toml fit together."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import metadata, packages_distributions, requires
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

# What Colab's CPU image held in August 2026 (github.com/googlecolab/backend-info), of
# the packages that attnlab needs. What it has not, pip adds.
COLAB_VERSIONS = {
    "anywidget": "0.9.21",
    "filelock": "3.32.3",
    "ipython": "7.34.0",
    "ipywidgets": "7.7.1",
    "matplotlib": "3.10.0",
    "matplotlib-inline": "0.2.2",
    "numpy": "2.1.3",
    "pooch": "1.9.0",
    "pyyaml": "6.0.3",
    "requests": "2.32.4",
    "safetensors": "0.8.0",
    "tokenizers": "0.22.2",
    "torch": "2.11.0",
    "tqdm": "4.67.3",
    "traitlets": "5.7.1",
}
NOT_IN_COLAB = {"opencc", "sacrebleu", "sacremoses"}
COLAB_PYTHON = "3.13"


@pytest.fixture(scope="module")
def project_table(root):
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]


@pytest.fixture(scope="module")
def dependency_ranges(project_table):
    """All that the package needs, with its extra."""
    extra = project_table["optional-dependencies"]["sentences"]
    return [Requirement(each) for each in project_table["dependencies"] + extra]


@pytest.fixture(scope="module")
def pins(root):
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {pin.name.lower().replace("_", "-"): pin for pin in found}


def test_requirements_are_exact_pins_without_cuda(pins):
    assert len(pins) > 100
    assert [
        str(p) for p in pins.values() if not re.match(r"==[\w.]+$", str(p.specifier))
    ] == []
    assert [name for name in pins if re.match(r"nvidia|triton|cuda", name)] == []


def test_requirements_pins_lie_within_pyproject_ranges(dependency_ranges, pins):
    for needed in dependency_ranges:
        version = str(pins[needed.name.lower()].specifier).removeprefix("==")
        assert version in needed.specifier, needed


@pytest.mark.weekly
def test_dependencies_equal_imports(root, dependency_ranges):
    files = sorted(root.glob("src/attnlab/**/*.py"))
    nodes = [n for file in files for n in ast.walk(ast.parse(file.read_bytes()))]
    imported = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
    imported |= {n.module for n in nodes if isinstance(n, ast.ImportFrom)}
    modules = {name.split(".")[0] for name in imported} - {"attnlab"}
    homes = packages_distributions()
    used = {homes[m][0].lower() for m in modules - sys.stdlib_module_names}
    assert used == {each.name.lower() for each in dependency_ranges}


def test_colab_versions_satisfy_ranges(project_table, dependency_ranges):
    needed = {each.name.lower(): each for each in dependency_ranges}
    assert set(needed) == COLAB_VERSIONS.keys() | NOT_IN_COLAB
    for name, version in COLAB_VERSIONS.items():
        assert version in needed[name].specifier, needed[name]
    assert COLAB_PYTHON in Requirement("p" + project_table["requires-python"]).specifier


@pytest.mark.weekly
def test_wheel_contains_exactly_the_package(root, tmp_path):
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(root / name, tmp_path)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")  # of older builds
    shutil.copytree(root / "src", tmp_path / "src", ignore=ignored)
    command = ["wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    subprocess.run(
        [sys.executable, "-m", "pip", *command, "--wheel-dir", tmp_path, tmp_path],
        check=True,
    )
    (path,) = tmp_path.glob("*.whl")
    wheel = ZipFile(path)
    package = root / "src" / "attnlab"
    files = {
        path.relative_to(root / "src").as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held == files
    assert any(".dist-info/licenses/LICENSE" in name for name in wheel.namelist())


# Only what an import inside a function, under `sentences_extra`, asks for.
IMPORT_WITHOUT_EXTRA = """
import sys
for name in sys.argv[1:]:
    sys.modules[name] = None
import attnlab.experiments.rivals, attnlab.experiments.searches, attnlab.live
from attnlab.data.text import Subwords, simplified
from attnlab.sentences.recipes import caption_words
from attnlab.sentences.scoring import score
from attnlab.data import corpora

tries = {
    "tokenizers": lambda: Subwords("{}"),
    "opencc": lambda: simplified("x"),
    "sacremoses": lambda: caption_words("A dog's"),
    "sacrebleu": lambda: score(["a"], ["a"], tokenize="13a"),
    "pooch": lambda: corpora.download("", None),
}
for name, attempt in tries.items():
    try:
        attempt()
    except ModuleNotFoundError as e:
        assert name in str(e) and "pip install 'attnlab[sentences]'" in str(e), e
    else:
        raise AssertionError(name)
"""


@pytest.mark.weekly
def test_missing_sentences_extra_is_named_at_use(project_table):
    names = map(Requirement, project_table["optional-dependencies"]["sentences"])
    modules = {each.name.lower() for each in names}
    subprocess.run([sys.executable, "-c", IMPORT_WITHOUT_EXTRA, *modules], check=True)


# A package may be imported beside the book's MIT code under these; under the GNU GPL it
# would bind the whole. MPL binds its own files, which we do not ship.
FREE = r"MIT|BSD|Apache|ISC|PSF|Python Software|HPND|Unlicense|Zlib|0BSD|CC0|MPL"


def test_dependency_licences_are_listed(dependency_ranges):
    names = [each.name.lower() for each in dependency_ranges]
    for name in names:  # grows by what each needs, but for a GPU's drivers
        for each in map(Requirement, requires(name) or []):
            wanted = each.marker is None or each.marker.evaluate({"extra": ""})
            for_gpu = re.match(r"nvidia|cuda|triton", each.name)
            if wanted and not for_gpu and each.name.lower() not in names:
                names.append(each.name.lower())
        about = metadata(name)
        classifiers = about.get_all("Classifier") or []
        said = [line for line in classifiers if line.startswith("License ::")]
        said += [about.get(key) or "" for key in ("License-Expression", "License")]
        text = " ".join(said)
        assert not re.search(r"LGPL|Lesser", text), name
        assert re.search(FREE, text), f"{name}: {text[:200]!r}"
    assert len(names) > 40

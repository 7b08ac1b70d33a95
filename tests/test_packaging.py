"""The pins of requirements.txt and the ranges of pyproject.toml fit together."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement

# What Colab's CPU image held in August 2026 (github.com/googlecolab/backend-info), of
# the packages that attnlab needs. What it has not, pip adds.
COLAB = {
    "anywidget": "0.9.21",
    "ipython": "7.34.0",
    "ipywidgets": "7.7.1",
    "matplotlib": "3.10.0",
    "numpy": "2.1.3",
    "pooch": "1.9.0",
    "pyyaml": "6.0.3",
    "safetensors": "0.8.0",
    "tokenizers": "0.22.2",
    "torch": "2.11.0",
    "tqdm": "4.67.3",
    "traitlets": "5.7.1",
}
NOT_IN_COLAB = {"num2words", "opencc", "sacrebleu"}
COLAB_PYTHON = "3.13"


@pytest.fixture(scope="module")
def project(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]


@pytest.fixture(scope="module")
def pins(root):
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {pin.name.lower().replace("_", "-"): pin for pin in found}


def test_every_pin_is_exact(pins):
    assert len(pins) > 100
    assert [
        str(p) for p in pins.values() if not re.match(r"==[\w.]+$", str(p.specifier))
    ] == []


def test_no_cuda_packages(pins):
    assert [name for name in pins if re.match(r"nvidia|triton|cuda", name)] == []
    assert str(pins["torch"].specifier) == "==2.13.0"
    assert str(pins["jupyter-book"].specifier) == "==1.0.4.post1"


def test_pins_lie_within_the_ranges(project, pins):
    for needed in map(Requirement, project["dependencies"]):
        version = str(pins[needed.name.lower()].specifier).removeprefix("==")
        assert version in needed.specifier, needed


def test_colab_satisfies_the_ranges(project):
    needed = {r.name.lower(): r for r in map(Requirement, project["dependencies"])}
    assert set(needed) == COLAB.keys() | NOT_IN_COLAB
    for name, version in COLAB.items():
        assert version in needed[name].specifier, needed[name]
    assert COLAB_PYTHON in Requirement("p" + project["requires-python"]).specifier


def test_one_address_of_the_repository(root, project):
    address = project["urls"]["Repository"]
    for name in ("_config.yml", "README.md", "CITATION.cff", "CONTRIBUTING.md"):
        assert address in (root / name).read_text(encoding="utf-8"), name

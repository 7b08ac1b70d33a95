"""What the files around the book say: addresses lead somewhere, commands exist."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
import yaml

ROOT = Path(__file__).parents[1]
NAMES = ["README.md", "CONTRIBUTING.md", ".ci/run"]
TEMPLATE = ROOT / ".github/pull_request_template.md"
PAGES = sorted([*ROOT.glob("book/*.md"), *ROOT.glob("book/*.ipynb")])
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
FILES = [*(ROOT / name for name in NAMES), *PAGES, *WORKFLOWS, TEMPLATE]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = {*re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE), ".venv/.installed"}
PACKAGE = "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("src/**/*.py"))
MADE_BY_THE_PAGE = "attnlab.experiments.peaks"  # by extending.md, whose tests make it


def words_of(path: Path) -> str:
    """What a file says; of a notebook its Markdown."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(c.source for c in cells if c.cell_type == "markdown")


# Addresses


def slugs(path: Path) -> set[str]:
    """The places in a page as GitHub calls them: headings, without signs."""
    headings = re.findall(r"^#+ (.+)$", words_of(path), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading).lower() for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


def dead(path: Path) -> list[str]:
    """The addresses in a Markdown file that lead to no file, or no place in it."""
    text = words_of(path)
    found = re.findall(r"\]\(([^)\s]+)\)|\b(?:src|href)=\"([^\"]+)\"", text)
    addresses = {one or other for one, other in found}
    wrong = []
    for address in sorted(addresses):
        if re.match(r"[a-z]+:", address):
            continue
        file, _, place = unquote(address).partition("#")
        target = path.parent / file if file else path
        if not target.exists() or (place and place not in slugs(target)):
            wrong.append(address)
    return wrong


@pytest.mark.parametrize("name", NAMES[:2])
def test_links_and_pictures_are_there(name):
    text = words_of(ROOT / name)
    assert "](" in text and dead(ROOT / name) == []


def test_dead_ones_are_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        '# A heading\n[1](#a-heading) [2](#b) ![3](gone.png) <img src="gone.svg">'
    )
    assert dead(page) == ["#b", "gone.png", "gone.svg"]


def test_every_picture_is_shown():
    shown = re.findall(r"docs/[\w-]+\.png", words_of(ROOT / "README.md"))
    assert set(shown) == {f"docs/{path.name}" for path in ROOT.glob("docs/*.png")}


# Commands


def commands(path: Path) -> list[str]:
    """What a file tells a shell: in backticks, in a listing, in a step of a job."""
    text = words_of(path)
    if path in WORKFLOWS:
        steps = re.findall(r"\brun: (>\n(?: {10,}.+\n)+|\|\n(?: {10,}.*\n)+|.+)", text)
        return [re.sub(r"^>\s+", "", step).replace("\n", " ") for step in steps]
    if path.suffix not in (".md", ".ipynb"):
        return text.splitlines()
    listings = re.findall(r"^ *```sh\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    quoted = [" ".join(words.split()) for words in re.findall(r"`([^`]+)`", rest)]
    return [*quoted, *"\n".join(listings).splitlines()]


def unknown(path: Path) -> list[str]:
    """What a file names that is not there: variables, targets, modules, options."""
    variables = re.findall(r"\bATTNLAB_\w+", words_of(path))
    wrong = [name for name in variables if f'"{name}"' not in PACKAGE]
    for command in commands(path):
        command = command.strip().partition(" #")[0]
        if command.startswith("make "):
            words = [word for word in command.split()[1:] if "=" not in word]
            wrong += [f"make {word}" for word in words if word not in TARGETS]
        for name, rest in re.findall(r"-m (\w+\.[\w.]+)(.*)", command):
            sources = [] if name == MADE_BY_THE_PAGE else sources_of(name)
            if sources is None:
                wrong.append(name)
            options = re.findall(r"--([a-z-]+)", rest) if sources else []
            said = "".join(file.read_text(encoding="utf-8") for file in sources or [])
            known = {"help", *re.findall(r'"(?:--)?([a-z-]+)"', said)}
            wrong += [f"{name} --{one}" for one in options if one not in known]
    return wrong


def sources_of(name: str) -> list[Path] | None:
    """The files of a module that can be run, and of those beside it."""
    file = Path(*name.split("."))
    for top in (ROOT, ROOT / "src"):
        for one in (top / file.with_suffix(".py"), top / file / "__main__.py"):
            if one.is_file():
                return sorted(one.parent.glob("*.py"))
    return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_what_is_to_be_run_is_there(path):
    assert unknown(path) == []


def test_what_is_to_be_run_is_found(tmp_path):
    told = {path: len(commands(path)) for path in [*FILES[:3], *WORKFLOWS]}
    assert min(told.values()) > 0, told
    page = tmp_path / "page.md"
    page.write_text(
        "`make book` and `make\nnotebok`, `python -m tools.sides`,\n"
        "```sh\nmake tset # it\nATTNLAB_DTA=. python -m tools.machines --moves 1\n```\n"
    )
    assert sorted(unknown(page)) == [
        "ATTNLAB_DTA",
        "make notebok",
        "make tset",
        "tools.machines --moves",
        "tools.sides",
    ]


def test_make_says_what_it_can_make():
    phony = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)[1].split()
    told = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)
    assert told == phony
    modules = re.findall(r"-m (\w+\.(?!experiments)\w+)", MAKEFILE)
    assert len(modules) > 8
    assert [name for name in modules if sources_of(name) is None] == []


# Workflows

# What GitHub knows and these use. It takes no word for another, and says so too late.
TOP = {"name", "on", "permissions", "concurrency", "jobs"}
JOB = {
    *("needs", "strategy", "runs-on", "timeout-minutes", "continue-on-error"),
    *("defaults", "environment", "steps"),
}
STEP = {"name", "if", "id", "uses", "with", "run", "env"}
EVENTS = {"push", "pull_request", "schedule", "workflow_dispatch"}
BUILT = "_build/html"
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
MACHINES = {"ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "windows-latest"}
INPUTS = {
    "actions/checkout@v4": set(),
    "actions/setup-python@v5": {"python-version", "cache", "cache-dependency-path"},
    "actions/configure-pages@v5": set(),
    "actions/upload-pages-artifact@v3": {"path"},
    "actions/deploy-pages@v4": set(),
}


def matrix_of(job: dict) -> dict[str, set]:
    """The values that each name of a job's matrix takes."""
    matrix = dict(job.get("strategy", {}).get("matrix", {}))
    rows = matrix.pop("include", [])
    values = {name: set(several) for name, several in matrix.items()}
    for row in rows:
        for name, value in row.items():
            values.setdefault(name, set()).add(value)
    return values


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_says_what_github_knows(path):
    # YAML reads a plain `on` as true.
    text = re.sub(r"^on:", '"on":', path.read_text("utf-8"), flags=re.MULTILINE)
    workflow = yaml.safe_load(text)
    assert {"name", "on", "jobs"} <= workflow.keys() <= TOP
    assert workflow["on"].keys() <= EVENTS
    for name, job in workflow["jobs"].items():
        assert {"runs-on", "steps"} <= job.keys() <= JOB, name
        assert job.get("needs", name) in workflow["jobs"], name
        # Only of what is rehearsed may a failure go unseen.
        assert "continue-on-error" not in job or path.stem == "plain", name
        matrix = matrix_of(job)
        machines = matrix.get("system", {job["runs-on"]})
        assert machines <= MACHINES
        asked = re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job))
        assert set(asked) == matrix.keys(), name
        pythons = matrix.get("python", set())
        for step in job["steps"]:
            assert step.keys() <= STEP and len(step.keys() & {"uses", "run"}) == 1
            if "uses" in step:
                given = step.get("with", {})
                assert given.keys() <= INPUTS[step["uses"]], step
                files = {given[key] for key in given if key.endswith("path")}
                there = {BUILT, *(p.name for p in ROOT.iterdir())}
                assert files <= there, step
                pythons |= {given[key] for key in given if key == "python-version"}
        pythons = {one for one in pythons if "matrix" not in one}
        assert pythons <= set(PYTHONS)


def test_every_change_is_proven():
    here = "\n".join(commands(ROOT / ".ci/run"))
    assert re.findall(r"^make (.+)$", here, re.MULTILINE) == ["lint types test"]
    assert "set -euo pipefail" in here
    # With the chapters, which nbval compares strictly, and with all tests.
    (suite,) = re.findall(r"^SUITE := -m pytest (.+\\\n.+)$", MAKEFILE, re.MULTILINE)
    assert {"--nbval", "--nbval-current-env"} <= set(suite.split())
    assert not re.search(r"-k\b|-m\b|--nbval-lax|--ignore|--deselect|\|\|", suite)
    rings = re.findall(r"^(test\S*): .+\n\t@\$\(PY\) \$\(SUITE\)(.*)$", MAKEFILE, re.M)
    assert rings == [("test", ' -m "not weekly"'), ("test-all", "")]
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    assert ci[True]["push"]["branches"] == [config["repository"]["branch"]]
    jobs = ci["jobs"]
    assert jobs["fast"]["steps"][-1] == {"run": "make lint types test-fast"}
    assert jobs["test"]["steps"][-1] == {"run": "make test PYTHON=python"}
    assert jobs["test"]["needs"] == "fast"
    weekly = (ROOT / ".github/workflows/elsewhere.yml").read_text("utf-8")
    everything = yaml.safe_load(weekly)["jobs"]["everything"]
    assert everything["steps"][-1] == {"run": "make test-all"}


@pytest.mark.skipif(os.name == "nt", reason="a gate of Linux")
def test_the_gate_reads_the_sentences_that_lie_beside_it(tmp_path):
    shutil.copytree(ROOT / ".ci", tmp_path / "here" / ".ci")
    data = tmp_path / "shared" / "data"
    data.mkdir(parents=True)
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\nprintf %s "$ATTNLAB_DATA"')
    make.chmod(0o755)
    names = {name: os.environ[name] for name in os.environ if name != "ATTNLAB_DATA"}
    told = subprocess.run(
        ["bash", tmp_path / "here" / ".ci" / "run"],
        env={**names, "PATH": f"{tmp_path}:{names['PATH']}"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert told.stdout == str(data)


# Versions, and how to cite


def test_everybody_speaks_of_the_same_versions_of_python():
    newest = int(PYTHONS[-1].split(".")[1])
    assert f"(3, 11) <= sys.version_info[:2] <= (3, {newest})" in MAKEFILE
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == f">={PYTHONS[0]}"
    (tested,) = re.findall(r"python: \[(.+)\]", WORKFLOWS[1].read_text("utf-8"))
    assert re.findall(r"[\d.]+", tested) == PYTHONS
    for name in ("README.md", "Makefile", "requirements.txt"):
        told = re.findall(r"3\.\d+ to 3\.\d+", words_of(ROOT / name))
        assert told and set(told) == {f"{PYTHONS[0]} to {PYTHONS[-1]}"}, name
    for name in (".binder/runtime.txt", ".devcontainer/devcontainer.json"):
        told = re.search(r"python[-:](3\.\d+)", words_of(ROOT / name))
        assert told[1] in PYTHONS, name


def test_the_citation_is_of_this_book_and_package():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert cited["title"] == config["title"]
    assert [author["name"] for author in cited["authors"]] == [config["author"]]
    assert cited["version"] == project["version"]
    changes = words_of(ROOT / "CHANGELOG.md")
    assert re.findall(r"^## \[(.+)\] – ", changes, re.MULTILINE)[0] == cited["version"]
    assert cited["repository-code"] == config["repository"]["url"]
    assert cited["license"] == [project["license"], "CC-BY-4.0"]
    assert "CC BY 4.0" in words_of(ROOT / "README.md")


def test_hooks_have_the_pinned_versions():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    pins = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    for repo in hooks["repos"]:
        if repo["repo"] != "local":
            name = repo["repo"].split("/")[-1].removesuffix("-pre-commit")
            assert f"{name}=={repo['rev'].removeprefix('v')}" in pins
        else:
            targets = [hook["entry"].removeprefix("make ") for hook in repo["hooks"]]
            assert set(targets) <= TARGETS


@pytest.mark.parametrize("name", ["dependabot.yml", "ISSUE_TEMPLATE"])
def test_what_github_reads_parses(name):
    path = ROOT / ".github" / name
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    assert files and all(yaml.safe_load(file.read_text("utf-8")) for file in files)


def test_javascript_of_what_is_installed_here_is_read_as_its_authors_mean_it(root):
    # "module" would hold for JupyterLab in .venv too, which is not made of modules.
    described = json.loads((root / "package.json").read_text(encoding="utf-8"))
    assert described.get("type", "commonjs") == "commonjs"

"""What the files around the book say: addresses lead somewhere, commands exist."""

import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest
import yaml

from tests.book.parsed import markdown_of

ROOT = Path(__file__).parents[1]
NAMES = ["README.md", "CONTRIBUTING.md", ".ci/run"]
TEMPLATE = ROOT / ".github/pull_request_template.md"
PAGES = sorted([*ROOT.glob("book/*.md"), *ROOT.glob("book/*.ipynb")])
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
FILES = [*(ROOT / name for name in [*NAMES, "Makefile"]), *PAGES, *WORKFLOWS, TEMPLATE]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
MAKE_TARGETS = {*re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE), ".venv/.installed"}
PACKAGE = "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("src/**/*.py"))
MODULE_MADE_BY_PAGE = (
    "attnlab.experiments.peaks"  # by extending.md, whose tests make it
)


# Addresses


def dead_links(path: Path) -> list[str]:
    """The files that a Markdown file leads to and that are not there."""
    text = markdown_of(path)
    found = re.findall(r"\]\(([^)\s]+)\)|\b(?:src|href)=\"([^\"]+)\"", text)
    addresses = sorted(unquote(one or other) for one, other in found)
    files = [a.partition("#")[0] for a in addresses if not re.match(r"[a-z]+:", a)]
    return [file for file in files if not (path.parent / file).exists()]


@pytest.mark.parametrize("name", NAMES[:2])
def test_markdown_links_and_images_exist(name):
    text = markdown_of(ROOT / name)
    assert "](" in text and dead_links(ROOT / name) == []


def test_dead_finds_planted_links(tmp_path):
    page = tmp_path / "page.md"
    page.write_text('[1](#here) [2](page.md#there) ![3](gone.png) <img src="gone.svg">')
    assert dead_links(page) == ["gone.png", "gone.svg"]


# Commands


def shell_commands(path: Path) -> list[str]:
    """What a file tells a shell: in backticks, in a listing, in a step of a job."""
    text = markdown_of(path)
    if path in WORKFLOWS:
        jobs = yaml.safe_load(text)["jobs"].values()
        steps = [step for job in jobs for step in job["steps"]]
        return [" ".join(step["run"].split()) for step in steps if "run" in step]
    if path.suffix not in (".md", ".ipynb"):
        return text.splitlines()
    listings = re.findall(r"^ *```sh\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    quoted = [" ".join(words.split()) for words in re.findall(r"`([^`]+)`", rest)]
    return [*quoted, *"\n".join(listings).splitlines()]


def unknown_names(path: Path) -> list[str]:
    """What a file names that is not there: variables, targets, modules, options."""
    variables = re.findall(r"\bATTNLAB_\w+", markdown_of(path))
    wrong = [name for name in variables if f'"{name}"' not in PACKAGE]
    for command in shell_commands(path):
        command = command.strip().partition(" #")[0]
        if command.startswith("make "):
            words = [word for word in command.split()[1:] if "=" not in word]
            wrong += [f"make {word}" for word in words if word not in MAKE_TARGETS]
        for name, rest in re.findall(r"-m (\w+(?:\.\w+)+)\b(?!\.)(.*)", command):
            sources = [] if name == MODULE_MADE_BY_PAGE else module_sources(name)
            if sources is None:
                wrong.append(name)
            options = re.findall(r"--([a-z-]+)", rest) if sources else []
            said = "".join(file.read_text(encoding="utf-8") for file in sources or [])
            known = {"help", *re.findall(r'"(?:--)?([a-z-]+)"', said)}
            wrong += [f"{name} --{one}" for one in options if one not in known]
    return wrong


def module_sources(name: str) -> list[Path] | None:
    """The files of a module that can be run, and of those beside it."""
    file = Path(*name.split("."))
    for top in (ROOT, ROOT / "src"):
        for one in (top / file.with_suffix(".py"), top / file / "__main__.py"):
            if one.is_file():
                return sorted(one.parent.glob("*.py"))
    return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_documented_commands_exist(path):
    assert unknown_names(path) == []


def test_unknown_finds_planted_commands(tmp_path):
    told = {path: len(shell_commands(path)) for path in [*FILES[:3], *WORKFLOWS]}
    assert min(told.values()) > 0, told
    page = tmp_path / "page.md"
    page.write_text(
        "`make book` and `make\nnotebok`, `python -m tools.sides`,\n"
        "```sh\nmake tset # it\nATTNLAB_DTA=. python -m tools.machines --moves 1\n```\n"
    )
    assert sorted(unknown_names(page)) == [
        "ATTNLAB_DTA",
        "make notebok",
        "make tset",
        "tools.machines --moves",
        "tools.sides",
    ]


# Workflows

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


def test_ci_gate_runs_every_test_and_chapter():
    here = "\n".join(shell_commands(ROOT / ".ci/run"))
    assert re.findall(r"^make (.+)$", here, re.MULTILINE) == ["lint types test"]
    assert "set -euo pipefail" in here
    (suite,) = re.findall(r"^SUITE = -m pytest (.+\\\n.+)$", MAKEFILE, re.MULTILINE)
    assert {"--nbval", "--nbval-current-env"} <= set(suite.split())
    assert not re.search(r"-k\b|-m\b|--nbval-lax|--ignore|--deselect|\|\|", suite)
    rings = re.findall(r"^(test\S*): .+\n\t@\$\(PY\) \$\(SUITE\)(.*)$", MAKEFILE, re.M)
    assert rings == [("test", ' -m "not weekly"'), ("test-all", "")]
    steps = [step for path in WORKFLOWS for step in shell_commands(path)]
    assert {"make test PYTHON=python", "make test-all"} <= set(steps)


# Versions, and how to cite


def test_python_versions_agree_across_files():
    newest = int(PYTHONS[-1].split(".")[1])
    assert f"(3, 11) <= sys.version_info[:2] <= (3, {newest})" in MAKEFILE
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == f">={PYTHONS[0]}"
    (tested,) = re.findall(r"python: \[(.+)\]", WORKFLOWS[1].read_text("utf-8"))
    assert re.findall(r"[\d.]+", tested) == PYTHONS
    for name in ("README.md", "Makefile", "requirements.txt"):
        told = re.findall(r"3\.\d+ to 3\.\d+", markdown_of(ROOT / name))
        assert told and set(told) == {f"{PYTHONS[0]} to {PYTHONS[-1]}"}, name
    for name in (".binder/runtime.txt", ".devcontainer/devcontainer.json"):
        told = re.search(r"python[-:](3\.\d+)", markdown_of(ROOT / name))
        assert told[1] in PYTHONS, name


def test_citation_file_matches_book_and_package():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert cited["title"] == config["title"]
    assert [author["name"] for author in cited["authors"]] == [config["author"]]
    assert cited["version"] == project["version"]
    changes = markdown_of(ROOT / "CHANGELOG.md")
    assert re.findall(r"^## \[(.+)\] – ", changes, re.MULTILINE)[0] == cited["version"]
    assert cited["repository-code"] == config["repository"]["url"]
    assert cited["license"] == [project["license"], "CC-BY-4.0"]
    assert "CC BY 4.0" in markdown_of(ROOT / "README.md")


def test_pre_commit_hooks_use_pinned_versions():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    pins = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    for repo in hooks["repos"]:
        if repo["repo"] != "local":
            name = repo["repo"].split("/")[-1].removesuffix("-pre-commit")
            assert f"{name}=={repo['rev'].removeprefix('v')}" in pins
        else:
            targets = [hook["entry"].removeprefix("make ") for hook in repo["hooks"]]
            assert set(targets) <= MAKE_TARGETS


def test_github_files_parse():
    github = ROOT / ".github"
    for path in (*github.glob("ISSUE_TEMPLATE/*"), github / "dependabot.yml"):
        assert yaml.safe_load(path.read_text("utf-8")), path

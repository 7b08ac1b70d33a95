"""Keep the chapters in order.

Write a chapter as text and turn it into a notebook with jupytext:

    jupytext --to py:percent book/01_bottleneck.ipynb --output /tmp/01.py
    jupytext --to ipynb /tmp/01.py --output book/01_bottleneck.ipynb --update
    python -m tools.authoring run 01_bottleneck

A picture's alternative text stands in the line that opens its cell:

    # %% mystnb={"image": {"alt": "Accuracy falls from 100% at 3 digits to 20% at 6."}}

What the page does not show open has a role, told by one tag, and a title as its first
line, which JupyterLab and Colab show in the place of the code:

    # %% tags=["measure"]
    # @title Draw the exact matches by length

"measure" runs, tabulates, draws or closes a claim: in the page its code is behind a
tab at the corner of what it shows. "ask" shows a forecast or an exercise, and nothing
of its code; "setup" imports and installs, and the page leaves it out.

`run` executes a chapter and stores its outputs, so that running it again without a
change leaves the file as it is, but for pictures and cells tagged
`nbval-ignore-output`.
It needs what `requirements.txt` installs, and works in a checkout only.
"""

import argparse
import base64
import hashlib
import itertools
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import yaml
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode

from attnlab import store
from attnlab.live.page import with_link, without_program
from tools.claims_table import put_claims_table

ROOT = Path(__file__).parents[1]
MEASURED = Path("_build", "measured")  # where benchmarks write, in a checkout
RESULTS = Path("src", "attnlab", "experiments", "results")  # what chapters print

# Of these live figures no still says anything: they ask a reader, or wait for training.
NO_STILL = ("forecast", "exercise", "train")
HAS_STILL = re.compile(
    f'class="attnlab-live" data-figure="(?!(?:{"|".join(NO_STILL)})")'
)

MAX_SECONDS = 90
MAX_PICTURE_BYTES = 100_000
MAX_NOTEBOOK_BYTES = 1_500_000
MAX_LINES = 25
MAX_COLUMNS = 88

_SETUP_CELL = """\
# @title Set up: in Colab this installs the book's package
import subprocess
import sys

if "google.colab" in sys.modules:
    repository = "<repository>"
    install = [sys.executable, "-m", "pip", "install", "--quiet", f"git+{repository}"]
    if subprocess.call(install) != 0:
        raise RuntimeError(
            f"Could not install the book's package from {repository}. In the line "
            "above, set `repository` to the address of the book's own repository."
        )

from attnlab import check, claim, show_source"""

_NOTEBOOK_METADATA = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}
# A role's tag of Jupyter Book's, and by what JupyterLab and Colab fold a cell.
ROLES = {"measure": "hide-input", "ask": "remove-input", "setup": "remove-cell"}
TITLE = "# @title "
_FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}
IGNORED = "nbval-ignore-output"
_NBVAL_TAG = re.compile(r"nbval-.*|raises-exception")
_NBVAL_COMMENT = re.compile(
    r"^\s*#+\s*((?:NBVAL|PYTEST_VALIDATE)_\w+|raises-exception)\s*$", re.MULTILINE
)
# What plots, tabulates, sets up or closes a claim is not what a reader came to read.
_PLUMBING = re.compile(
    r"^(claim\(|plt\.|show_table\(|use_style\()|\bstore\.\w+\(|\bplt\.sub|import sys\b",
    re.MULTILINE,
)
MAX_PRINTS = 2  # in a cell that stands open
_KEPT_CELL_METADATA = ("mystnb", "slideshow", "tags")
_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# Files in which `repository` re-points the address, beside the chapters.
_ADDRESSED = ("_config.yml", "*.md", "*.toml", "*.cff", "book/*.md", "book/*.ipynb")


def chapters(names: list[str], root: Path = ROOT) -> list[Path]:
    """The notebooks of these names (`01_bottleneck`, with or without path and ending).

    No names mean all. Raises `ValueError` for a name that no notebook has.
    """
    present = {path.stem: path for path in sorted((root / "book").glob("*.ipynb"))}
    unknown = [name for name in names if Path(name).stem not in present]
    if unknown:
        raise ValueError(f"no chapter {unknown[0]!r}; there are: {', '.join(present)}")
    return [present[Path(name).stem] for name in names or present]


PAGES_OF_A_CHAPTER = ("lecture", "lab", "evidence")  # in the order of the contents


def page_of(path: Path) -> str:
    """Which of a chapter's pages a notebook is, one of `PAGES_OF_A_CHAPTER`."""
    found = re.fullmatch(r"\d\d_(lab|evidence)", path.stem)
    return found[1] if found else "lecture"


def repository_url(root: Path = ROOT) -> str:
    """Return the address of the book's repository, as `_config.yml` holds it."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    return config["repository"]["url"]


def move_repository(address: str, root: Path = ROOT) -> list[Path]:
    """Put `address` in the place of the present one everywhere; returns what changed.

    On GitHub links to launchers hold `owner/name` alone, and are re-pointed with it.
    Raises `ValueError` for what is no web or file address.
    """
    address = address.rstrip("/").removesuffix(".git")
    if not re.fullmatch(r"(https?|file)://\S+", address):
        raise ValueError(f"an address starts with https://, got {address!r}")
    old = repository_url(root)
    changes = [(old, address)]
    if "//github.com/" in old and "//github.com/" in address:
        changes = [(_owner_and_name(old), _owner_and_name(address))]
    changed = []
    for path in (path for pattern in _ADDRESSED for path in root.glob(pattern)):
        before = after = path.read_text(encoding="utf-8")
        for old_text, new_text in changes:
            after = re.sub(rf"{re.escape(old_text)}(?![\w-])", new_text, after)
        if after != before:
            path.write_text(after, encoding="utf-8", newline="\n")
            changed.append(path)
    for path in chapters([], root):
        _setup_chapter(path, address)
    return changed


def _owner_and_name(address: str) -> str:
    return address.split("//github.com/")[1]


def keep_result(name: str, root: Path = ROOT) -> list[str]:
    """Put a measured result in the place of the stored one, which chapters print.

    Returns the names of these chapters: their outputs are now out of date. Raises
    `ValueError` when there is no such chapter, when nothing is measured under that
    name, or when it lacks runs that the stored one has.
    """
    printing = [path.stem for path in chapters([], root) if _prints(path, name)]
    if not printing:
        raise ValueError(f"no chapter prints a result named {name!r}")
    file = f"{name}.json"
    if not (root / MEASURED / file).exists():
        raise ValueError(f"nothing is measured: there is no {MEASURED / file}")
    measured = _runs(name, root / MEASURED)
    stored = _runs(name, root / RESULTS) if (root / RESULTS / file).exists() else []
    if any(run not in measured for run in stored):
        raise ValueError(f"{MEASURED / file} lacks stored runs: measure all of them")
    shutil.copy(root / MEASURED / file, root / RESULTS / file)
    return printing


def _prints(path: Path, name: str) -> bool:
    """Return whether a chapter's code names the result."""
    code = (c.source for c in nbformat.read(path, 4).cells if c.cell_type == "code")
    return any(f'"{name}"' in source for source in code)


def _runs(name: str, folder: Path) -> list[tuple[int, dict]]:
    """Seed and setting of every run in a file."""
    runs = store.load(name, folder=folder)["runs"]
    return [(run["seed"], run["setting"]) for run in runs]


def setup_cell(address: str) -> str:
    """The first code cell of every chapter, for a repository at `address`."""
    return _SETUP_CELL.replace("<repository>", address)


def put_setup_cell(notebook: NotebookNode, address: str) -> None:
    """Make the standard cell the notebook's first code cell, in place of an old one."""
    wanted = setup_cell(address)
    code = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    first = code[0] if code else len(notebook.cells)
    if not (code and "google.colab" in notebook.cells[first].source):
        notebook.cells.insert(first, nbformat.v4.new_code_cell())
    notebook.cells[first].source = wanted
    notebook.cells[first].metadata["tags"] = ["setup"]


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run every cell in `folder` and put its outputs into the notebook.

    Raises `nbclient.exceptions.CellExecutionError` when a cell raises.
    """
    NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    ).execute()


def page_address(path: Path, address: str) -> str:
    """The page that GitHub publishes of a chapter of the repository at `address`.

    Of other repositories nobody knows; theirs is "".
    """
    found = re.fullmatch(r"https?://github\.com/([\w-]+)/([\w.-]+)", address)
    if found is None:
        return ""
    return f"https://{found[1].lower()}.github.io/{found[2]}/book/{path.stem}.html"


def still_address(page: str, number: int) -> str:
    """Where the published book has the still of a page's live figure; "" if nowhere."""
    root, _, name = page.rpartition("book/")
    return page and f"{root}_static/stills/{Path(name).stem}-{number}.webp"


def tidy(notebook: NotebookNode, page: str = "") -> None:
    """Remove what differs from run to run or machine to machine.

    The words that stand for a live figure lead to the chapter's `page`, if it has one,
    and have a still of the figure below them. A page that opens with a table of claims
    has it brought up to date.
    """
    put_claims_table(notebook)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(_NOTEBOOK_METADATA)
    seen: dict[str, int] = {}
    count = 0
    stills = (still_address(page, number) for number in itertools.count(1))
    for cell in notebook.cells:
        cell.id = _cell_id(cell, seen)
        kept = {k: v for k, v in cell.metadata.items() if k in _KEPT_CELL_METADATA}
        cell.metadata = nbformat.from_dict(kept | _of_role(kept.get("tags", [])))
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _tidy_outputs(cell.outputs, count, page, stills)


def _of_role(tags: list[str]) -> dict:
    """Return the metadata by which every reader of a notebook honours a cell's role."""
    own = [tag for tag in tags if tag not in ROLES.values()]
    role = next((tag for tag in own if tag in ROLES), None)
    if role is None:
        return {"tags": own} if own else {}
    return {"tags": [*own, ROLES[role]], **_FOLDED}


def _cell_id(cell: NotebookNode, seen: dict[str, int]) -> str:
    """Return an id that only a change of the cell's own text changes."""
    digest = hashlib.sha256(f"{cell.cell_type}:{cell.source}".encode()).hexdigest()[:12]
    seen[digest] = seen.get(digest, 0) + 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _tidy_outputs(
    outputs: list[NotebookNode], count: int, page: str, stills: Iterator[str]
) -> list[NotebookNode]:
    tidied: list[NotebookNode] = []
    for output in outputs:
        last = tidied[-1] if tidied else None
        if output.output_type == "stream" and last and last.get("name") == output.name:
            last.text += output.text  # how printed text is cut up depends on timing
            continue
        if output.output_type == "execute_result":
            output.execution_count = count
        if "data" in output:
            output.data.pop(_WIDGET_VIEW, None)
            if "text/html" in output.data:
                words = without_program(output.data["text/html"])
                still = next(stills) if HAS_STILL.search(words) else ""
                output.data["text/html"] = with_link(words, page, still)
        tidied.append(output)
    return tidied


def problems(notebook: NotebookNode, address: str) -> list[str]:
    """Return where the notebook breaks the book's rules; each line names the cell."""
    found = []
    titles = sum(len(_titles(cell)) for cell in notebook.cells)
    if titles != 1:
        found.append(f"a chapter has one title (# …), this one has {titles}")
    found += _changed_since_run(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if not code or code[0].source != setup_cell(address):
        found.append("the first code cell is not the standard one: run `setup`")
    for number, cell in enumerate(code, start=1):
        first_line = cell.source.split("\n")[0]
        of_cell = _source_problems(cell), _role_problems(cell), _output_problems(cell)
        for problem in itertools.chain.from_iterable(of_cell):
            found.append(f"cell [{number}] ({first_line}): {problem}")
    size = len(nbformat.writes(notebook).encode())
    if size > MAX_NOTEBOOK_BYTES:
        found.append(f"the notebook has {size:,} bytes, {MAX_NOTEBOOK_BYTES:,} at most")
    return found


def _changed_since_run(notebook: NotebookNode) -> Iterator[str]:
    """Code cells that are not as `run` left them: changed, added, moved or not run."""
    seen: dict[str, int] = {}
    ids = [_cell_id(cell, seen) for cell in notebook.cells]  # of equal cells by place
    count = 0
    for cell, id in zip(notebook.cells, ids, strict=True):
        if cell.cell_type != "code":
            continue
        count += 1
        if cell.id != id or cell.execution_count != count:
            first_line = cell.source.split("\n")[0]
            yield f"cell [{count}] ({first_line}): not as it was run: `make notebooks`"


def _titles(cell: NotebookNode) -> list[str]:
    if cell.cell_type != "markdown":
        return []
    prose = re.sub(r"^```.*?^```", "", cell.source, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"^# .+", prose, flags=re.MULTILINE)


def _source_problems(cell: NotebookNode) -> Iterator[str]:
    lines = cell.source.split("\n")
    if len(lines) > MAX_LINES:
        yield f"{len(lines)} lines, {MAX_LINES} at most"
    longest = max(map(len, lines))
    if longest > MAX_COLUMNS:
        yield f"a line of {longest} columns, {MAX_COLUMNS} at most"
    tags = cell.metadata.get("tags", [])
    if IGNORED in tags and re.search(r"\bclaim\(", cell.source):
        yield "a verdict that is not compared: nbval ignores this cell"
    marks = [tag for tag in tags if tag != IGNORED and _NBVAL_TAG.fullmatch(tag)]
    if marks := marks + _NBVAL_COMMENT.findall(cell.source):
        yield f"{marks[0]!r}: of nbval's marks a cell may have the tag {IGNORED} alone"


def _role_problems(cell: NotebookNode) -> Iterator[str]:
    tags = cell.metadata.get("tags", [])
    if any(role in tags for role in ROLES):
        if not cell.source.startswith(TITLE):
            yield f"a folded cell without a title: begin it with {TITLE.strip()!r}"
    elif found := _PLUMBING.search(cell.source):
        yield f"{found[0].strip()!r} in an open cell: tag it measure or setup"
    elif cell.source.count("print(") > MAX_PRINTS:
        yield f"over {MAX_PRINTS} prints in an open cell: make it a table, or measure"


def _output_problems(cell: NotebookNode) -> Iterator[str]:
    for output in cell.outputs:
        if output.get("name") == "stderr":
            yield f"writes to stderr: {output.text.strip().splitlines()[-1][:80]}"
        data = output.get("data", {})
        for mime, content in data.items():
            if mime.startswith("image/"):
                yield from _picture_problems(cell, mime, content)
        text = output.get("text", "") + data.get("text/plain", "")
        address = re.search(r"\b0x[0-9a-f]{6,}", text)
        if address:
            yield f"shows a memory address, {address[0]}: end the line with a semicolon"
        if f"{ROOT}{os.sep}" in text:
            yield "shows a path of this machine"


def _picture_problems(cell: NotebookNode, mime: str, content: str) -> Iterator[str]:
    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    if not alt.strip():
        yield "a picture without alternative text (mystnb.image.alt)"
    size = len(content if mime == "image/svg+xml" else base64.b64decode(content))
    if size > MAX_PICTURE_BYTES:
        yield f"a picture of {size:,} bytes, {MAX_PICTURE_BYTES:,} at most"


def run_chapter(path: Path, address: str) -> list[str]:
    """Execute one chapter, store it, and return its problems.

    When a cell raises, the file stays as it was and the error is the one problem.
    """
    notebook = nbformat.read(path, as_version=4)
    put_setup_cell(notebook, address)
    start = time.perf_counter()
    try:
        execute(notebook, path.parent)
    except (CellExecutionError, CellTimeoutError) as error:
        return [f"not stored, a cell failed:\n{error}"]
    seconds = time.perf_counter() - start
    tidy(notebook, page_address(path, address))
    nbformat.write(notebook, path)
    slow = f", over the {MAX_SECONDS} s a chapter may take" * (seconds > MAX_SECONDS)
    print(f"{path.stem}: {seconds:.0f} s{slow}")
    return problems(notebook, address)


def _setup_chapter(path: Path, address: str) -> list[str]:
    notebook = nbformat.read(path, as_version=4)
    put_setup_cell(notebook, address)
    tidy(notebook, page_address(path, address))
    nbformat.write(notebook, path)
    return []


def _check_chapter(path: Path, address: str) -> list[str]:
    return problems(nbformat.read(path, as_version=4), address)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status, 1 when a chapter has problems."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.authoring",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (
        ("run", "execute chapters and store their outputs"),
        ("check", "hold chapters against the book's rules without running them"),
        ("setup", "put the standard set-up cell into chapters"),
    ):
        command = commands.add_parser(name, help=about)
        command.add_argument("chapters", nargs="*", help="all when left out")
    command = commands.add_parser("repository", help="re-point the book to an address")
    command.add_argument("address")
    command = commands.add_parser("store", help="have chapters print what was measured")
    command.add_argument("name", help="of the file in _build/measured, without .json")
    options = parser.parse_args(arguments)
    try:
        if options.command == "repository":
            for path in move_repository(options.address):
                print(path.relative_to(ROOT))
            return 0
        if options.command == "store":
            printing = " ".join(keep_result(options.name))
            print(f"{options.name} is stored. Now run the chapters that print it, and")
            print("read again what they say beside it:")
            print(f'  make notebooks CHAPTERS="{printing}"')
            return 0
        paths = chapters(options.chapters)
    except ValueError as error:
        parser.error(str(error))
    work = {"run": run_chapter, "check": _check_chapter, "setup": _setup_chapter}
    failed = False
    for path in paths:
        for problem in work[options.command](path, repository_url()):
            print(f"{path.stem}: {problem}", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

"""Print the built book into one PDF, by a browser.

    python -m tools.pdf                       # after `make book`; or: make pdf
    python -m tools.pdf 03_self_attention 03_evidence --output look.pdf
    python -m tools.pdf --code                # with the code of folded cells

Each page is opened as a reader would, and when its figures are drawn, what it shows is
taken over into one long page, which is printed: after a title page and the contents if
it is the whole book. Live figures are printed in the state they open in; solutions, and
what answers a forecast, stand at the end. Links between pages lead to the place in the
PDF.

It needs what `requirements.txt` installs, and works in a checkout only.
"""

import argparse
import re
import sys
from datetime import date
from html import escape
from importlib.metadata import version
from pathlib import Path

import pikepdf
import yaml
from playwright.sync_api import Browser, Page

from tools.authoring import ROOT, repository_url
from tools.browser import open_browser

SECONDS = 120  # for a page to open, on a busy machine

MODULE_SOURCE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
SCRIPT = re.sub(r"(?m)^export ", "", MODULE_SOURCE)  # it is no module where it runs


def call_script(function: str) -> str:
    """Return an expression by which a page calls one of the script's functions."""
    return f"(argument) => {{ {SCRIPT} return {function}(argument); }}"


STYLE = """
.pdf-front { text-align: center; }
.pdf-front::before { content: ""; display: block; height: 20rem; }
.pdf-front p:first-child { font-size: 4rem; font-weight: 700; }
.pdf-contents ol { list-style: none; padding: 0; }
.pdf-contents li { display: flex; justify-content: space-between; padding: 0.15rem 0;
  border-bottom: 1px dotted var(--pst-color-border); }
#answers div > a { display: block; margin-top: 1rem; break-after: avoid; }
"""

REFERENCE = "book/reference/"
FOOTER = """<div style="width: 100%; font-size: 8px; text-align: center; color: #555">
<span class="pageNumber"></span></div>"""


def page_contents(root: Path = ROOT) -> list[str]:
    """Return the names of all pages in the order of the table of contents.

    The reference is left out: it is there to be searched.
    """
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    files = [toc["root"]]
    for entry in (entry for part in toc["parts"] for entry in part["chapters"]):
        below = [section["file"] for section in entry.get("sections", [])]
        files += [entry["file"], *below]
    return [Path(file).name for file in files if not file.startswith(REFERENCE)]


def title_page() -> str:
    """Return the first leaf as HTML: what this is, which edition, and of what day."""
    lines = [
        "Attention, Measured",
        "Claims about attention, each put to a test that you can run",
        f"Version {version('attnlab')}, printed on {date.today():%d %B %Y}",
        repository_url(),
    ]
    words = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f'<article class="bd-article pdf-front">{words}</article>'


def contents_page(titles: dict[str, str], numbers: dict[str, int]) -> str:
    """The contents as HTML: the title of each page by its name, and where it begins."""
    lines = "".join(
        f'<li><a href="#{name}">{escape(title)}</a>'
        f"<span>{numbers.get(name, '')}</span></li>"
        for name, title in titles.items()
    )
    return (
        '<article class="bd-article pdf-contents"><h1>Contents</h1>'
        f"<ol>{lines}</ol></article>"
    )


def split_pages(page: Page, html: Path, names: list[str], code: bool) -> list[dict]:
    """What each of these pages of the built book shows, with `code` or without."""
    taken = []
    for name in names:
        page.goto((html / "book" / f"{name}.html").as_uri())
        page.evaluate(call_script("settle"))
        taken.append(page.evaluate(call_script("take"), [name, code]))
    return taken


def print_page(page: Page, output: Path) -> dict[str, int]:
    """Print what is open; return on which sheet of it each place that is linked is."""
    page.pdf(
        path=output,
        format="A4",
        margin={"top": "16mm", "bottom": "16mm", "left": "16mm", "right": "16mm"},
        print_background=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
        outline=True,
        tagged=True,
    )
    with pikepdf.open(output, allow_overwriting_input=True) as pdf:
        sheets = {sheet.obj.objgen: number for number, sheet in enumerate(pdf.pages, 1)}
        begins = {
            name[1:]: sheets[place[0].objgen]
            for name, place in pdf.Root.get("/Dests", pikepdf.Dictionary()).items()
        }
        # Half as large: a browser stores each tag of its own.
        pdf.save(output, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return begins


def print_book(
    browser: Browser, html: Path, names: list[str], output: Path, code: bool = False
) -> None:
    """Print pages of the built book into one PDF.

    Args:
        browser: opens and prints them.
        html: the folder of the built book.
        names: of the pages, in their order; all of them get a title page and contents.
        output: the PDF.
        code: whether to print the code of folded cells.

    Raises:
        ValueError: the book has no such page, or is not built.
    """
    for name in names:
        if not (html / "book" / f"{name}.html").is_file():
            raise ValueError(f"no page {name!r} in {html}: build the book first")
    context = browser.new_context(color_scheme="light")
    context.set_default_timeout(1000 * SECONDS)
    page = context.new_page()
    taken = split_pages(page, html, names, code)
    titles = {name: one["title"] for name, one in zip(names, taken, strict=True)}
    if any(one["answers"] for one in taken):
        titles["answers"] = "Answers"
    output.parent.mkdir(parents=True, exist_ok=True)
    numbers: dict[str, int] = {}
    whole = names == page_contents()
    for _ in range(1 + whole):  # where pages begin is known once they have been printed
        front = title_page() + contents_page(titles, numbers) if whole else ""
        page.goto((html / "book" / f"{names[0]}.html").as_uri())
        page.evaluate(call_script("fill"), [taken, front, STYLE])
        numbers = print_page(page, output)
    context.close()


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.pdf",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pages", nargs="*", help="all when left out")
    parser.add_argument("--code", action="store_true", help="of folded cells too")
    parser.add_argument("--html", type=Path, default=ROOT / "_build/html")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "_build/pdf/attention-measured.pdf"
    )
    options = parser.parse_args(arguments)
    try:
        with open_browser() as browser:
            names = options.pages or page_contents()
            print_book(browser, options.html, names, options.output, options.code)
    except ValueError as error:
        parser.error(str(error))
    print(f"The book is at {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

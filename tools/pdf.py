"""Print the built book into one PDF, by a browser.

    python -m tools.pdf                       # after `make book`; or: make pdf
    python -m tools.pdf 03_self_attention --output look.pdf

Each page is opened as a reader would, and when its figures are drawn, what it shows is
taken over into one long page, which is printed. Live figures are printed in the state
they open in; folded solutions are unfolded. Links between pages lead to the place in
the PDF.

It needs what `requirements.txt` installs, and works in a checkout only.
"""

import argparse
import sys
from pathlib import Path

import yaml
from playwright.sync_api import Browser

from tools.authoring import ROOT
from tools.browser import open_browser

SECONDS = 120  # for a page to open, on a busy machine

# Reads to the end, so that figures and pictures which wait to be seen are there.
SETTLE = """async () => {
  for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await new Promise((done) => setTimeout(done, 20));
  }
}"""

# Returns what the page shows as HTML, and the styles that its scripts have made. Ids
# get the page's name in front, so that those of different pages differ.
TAKE = """(name) => {
  const article = document.querySelector("article.bd-article");
  for (const part of article.querySelectorAll("details")) part.open = true;
  for (const canvas of article.querySelectorAll("canvas")) {
    const picture = document.createElement("img");
    picture.src = canvas.toDataURL();
    picture.className = canvas.className;
    picture.style.cssText = canvas.style.cssText;
    picture.alt = "";
    canvas.replaceWith(picture);
  }
  for (const picture of article.querySelectorAll("img")) picture.loading = "eager";
  for (const input of article.querySelectorAll("input")) {
    input.setAttribute("value", input.value);
    input.toggleAttribute("checked", input.checked);
  }
  for (const option of article.querySelectorAll("option")) {
    option.toggleAttribute("selected", option.selected);
  }
  for (const node of article.querySelectorAll("script, .headerlink, .copybtn")) {
    node.remove();
  }
  const inside = (id) => `${name}--${id}`;
  const lists = ["for", "aria-labelledby", "aria-describedby", "aria-controls"];
  for (const node of article.querySelectorAll("*")) {
    for (const { name: key, value } of [...node.attributes]) {
      if (key === "id") node.id = inside(value);
      else if (lists.includes(key)) {
        node.setAttribute(key, value.split(/\\s+/).map(inside).join(" "));
      } else if (key.endsWith("href")) {
        const [, page, id] = value.match(/^(?:(\\w+)\\.html)?(?:#(.*))?$/) ?? [];
        if (page) node.setAttribute(key, id ? `#${page}--${id}` : `#${page}`);
        else if (id) node.setAttribute(key, `#${inside(id)}`);
        else if (!/^[a-z]+:/.test(value)) node.removeAttribute(key); // is not printed
      } else if (value.includes("url(#")) {
        node.setAttribute(key, value.replaceAll("url(#", `url(#${name}--`));
      }
    }
  }
  article.id = name;
  const made = [...document.querySelectorAll("style[data-attnlab]")];
  const css = made.map((style) => style.textContent).join("\\n");
  return { html: article.outerHTML, css };
}"""

# Puts all pages in the place of the one that is open.
FILL = """(pages) => {
  const style = document.createElement("style");
  style.textContent = [...new Set(pages.map((page) => page.css))].join("\\n");
  document.head.append(style);
  const article = document.querySelector("article.bd-article");
  article.outerHTML = pages.map((page) => page.html).join("");
  document.title = document.title.split("—").at(-1).trim();
}"""

REFERENCE = "book/reference/"
FOOTER = """<div style="width: 100%; font-size: 8px; text-align: center; color: #555">
<span class="pageNumber"></span></div>"""


def contents(root: Path = ROOT) -> list[str]:
    """The names of all pages in the order of the table of contents.

    The reference is left out: it is there to be searched.
    """
    toc = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    files = [toc["root"]]
    for entry in (entry for part in toc["parts"] for entry in part["chapters"]):
        below = [section["file"] for section in entry.get("sections", [])]
        files += [entry["file"], *below]
    return [Path(file).name for file in files if not file.startswith(REFERENCE)]


def print_book(browser: Browser, html: Path, names: list[str], output: Path) -> None:
    """Print pages of the built book into one PDF.

    Args:
        browser: opens and prints them.
        html: the folder of the built book.
        names: of the pages, in their order.
        output: the PDF.

    Raises:
        ValueError: the book has no such page, or is not built.
    """
    for name in names:
        if not (html / "book" / f"{name}.html").is_file():
            raise ValueError(f"no page {name!r} in {html}: build the book first")
    context = browser.new_context(color_scheme="light")
    context.set_default_timeout(1000 * SECONDS)
    page = context.new_page()
    taken = []
    for name in names:
        page.goto((html / "book" / f"{name}.html").as_uri())
        page.evaluate(SETTLE)
        taken.append(page.evaluate(TAKE, name))
    page.goto((html / "book" / f"{names[0]}.html").as_uri())
    page.evaluate(FILL, taken)
    output.parent.mkdir(parents=True, exist_ok=True)
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
    context.close()


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.pdf",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pages", nargs="*", help="all when left out")
    parser.add_argument("--html", type=Path, default=ROOT / "_build/html")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "_build/pdf/attention-measured.pdf"
    )
    options = parser.parse_args(arguments)
    try:
        with open_browser() as browser:
            names = options.pages or contents()
            print_book(browser, options.html, names, options.output)
    except ValueError as error:
        parser.error(str(error))
    print(f"The book is at {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

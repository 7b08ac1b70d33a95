"""What axe finds wrong in a page."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RUN_AXE = """async ([context, options]) => {
  // Only what is wrong: what is right takes as long to tell.
  options.resultTypes = ["violations"];
  return (await axe.run(context ?? document, options)).violations;
}"""


def load_axe(page: Page) -> None:
    """Bring axe into a page, which has it once.

    A word of one letter is read as well; axe would leave its contrast to be looked at.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
        checks = "axe._audit.checks['color-contrast']"
        page.evaluate(f"{checks}.options.ignoreLength = true")


def violations(page: Page, selector: str | None = None, **options: object) -> list[str]:
    """What axe finds serious or critical in the page, or in what a selector names.

    `options` are axe's own: `runOnly=["color-contrast"]`.
    """
    load_axe(page)
    return [
        f"{one['id']}: {node['html'][:200]}: {node['failureSummary']}"
        for one in page.evaluate(RUN_AXE, [selector, options])
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]

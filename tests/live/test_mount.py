"""Figures in a page: from a file, twice, with weights that come late, and as views."""

import pytest
from live_figures import late_script

from attnlab.saved import read_base64

STATUS = '.attnlab-live [role="status"]'


@pytest.fixture
def show(page, tmp_path):
    """Write figures into a file as the book's pages have them, and open it."""

    def open_page(*figures) -> None:
        body = "\n".join(figure._repr_html_() for figure in figures)
        head = "<!doctype html><html data-content_root='./'><meta charset='utf-8'>"
        path = tmp_path / "page.html"
        path.write_text(f"{head}<body>{body}</body></html>", encoding="utf-8")
        page.goto(path.as_uri())
        page.wait_for_function(
            "count => document.querySelectorAll('.attnlab-body').length === count",
            arg=len(figures),
        )

    return open_page


def test_external_weights_load_on_request(page, show, make, tmp_path):
    folder = tmp_path / "_static" / "attnlab-weights"
    folder.mkdir(parents=True)
    (folder / "en-de-dot.js").write_text(late_script("en-de-dot"))
    show(make(), make(number=2))
    page.locator("button").first.click()
    page.get_by_text("The width is 48.").wait_for()
    # What one figure loaded is there for the other.
    page.locator("input").nth(1).fill("3")
    assert page.locator(STATUS).nth(1).inner_text() == (
        "The number is 3, en-de-dot is here."
    )


def test_failing_figure_shows_error(browser, tmp_path, make):
    page = browser.new_page()
    path = tmp_path / "page.html"
    path.write_text(make(number=-1)._repr_html_(), encoding="utf-8")
    page.goto(path.as_uri())
    page.get_by_text("This figure could not be drawn: it is negative").wait_for()
    page.close()


@pytest.mark.parametrize(
    "change",
    [
        "document.documentElement.dataset.theme = 'dark'",
        "document.body.dataset.jpThemeLight = 'false'",
        "document.documentElement.setAttribute('theme', 'dark')",
    ],
    ids=["book", "JupyterLab", "Colab"],
)
def test_figure_follows_page_theme(page, show, make, change):
    show(make())
    figure = page.locator("figure")
    assert figure.get_attribute("data-theme") == "light"
    page.evaluate(change)
    page.locator('figure[data-theme="dark"]').wait_for()


def test_widget_view_syncs_with_model(page, view, make):
    view(make(number=8))
    status = page.locator(STATUS)
    assert status.inner_text().startswith("The number is 8,")
    page.locator("input").fill("9")
    assert page.evaluate("[widget.get('number'), widget.saved]") == [9, 1]
    page.evaluate("widget.set('number', 10)")
    assert status.inner_text().startswith("The number is 10,")
    assert page.locator("figure.attnlab-live").get_attribute("data-figure") == "toy"
    assert page.locator("figcaption").count() == 1


def test_closed_widget_view_stops_listening(page, view, make):
    view(make(number=8))
    page.evaluate("window.close()")
    page.evaluate("widget.set('number', 10)")
    assert page.locator(STATUS).inner_text().startswith("The number is 8,")


def test_widget_view_requests_weights_from_kernel(page, view, make):
    file = read_base64("en-de-dot")
    view(make(), f'{{ content: {{ weights: message.weights }}, base64: "{file}" }}')
    page.locator("button").click()
    page.get_by_text("The width is 48.").wait_for()
    assert page.evaluate("widget.callbacks['msg:custom']") == []


def test_widget_view_without_kernel_shows_advice(page, view, make):
    page.clock.install()
    view(make())
    page.evaluate("widget.send = () => {}")
    page.locator("button").click()
    page.clock.fast_forward(31_000)
    page.get_by_text("The notebook does not answer.").wait_for()
    assert page.evaluate("widget.callbacks['msg:custom']") == []


def test_widget_view_shows_kernel_error(page, view, make):
    view(
        make(), '{ content: { weights: message.weights, error: "Alas." }, base64: "" }'
    )
    page.locator("button").click()
    page.get_by_text("Alas.").wait_for()

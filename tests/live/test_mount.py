"""Figures in a page: from a file, twice, with weights that come late, and as views."""

import html
from pathlib import Path

import pytest
from live_figures import late_script

from attnlab.saved import read_base64

STATUS = '.attnlab-live [role="status"]'


@pytest.fixture
def show(page, tmp_path):
    """Write figures into a file as the book's pages have them, and open it."""

    def open_page(*figures, head='<html data-content_root="./">') -> Path:
        body = "\n".join(figure._repr_html_() for figure in figures)
        text = f"<!doctype html>{head}<meta charset='utf-8'><body>{body}</body></html>"
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        page.goto(path.as_uri())
        page.wait_for_function(
            "count => document.querySelectorAll('.attnlab-body').length === count",
            arg=len(figures),
        )
        return path

    return open_page


def test_mounted_figure_runs_from_file_url(page, show, make):
    show(make(number=7))
    status = page.locator(STATUS)
    assert status.inner_text() == "The number is 7, en-de-dot is not here."
    assert page.locator("figcaption").inner_text() == make.caption
    assert page.locator(".attnlab-title").inner_text() == "A title"
    page.locator("input").fill("12")
    assert status.inner_text() == "The number is 12, en-de-dot is not here."


def test_inline_weights_are_available_at_once(page, show, make):
    class FigureWithWeights(make):
        weights = ("en-de-dot",)

    show(FigureWithWeights())
    assert page.locator(STATUS).inner_text() == "The number is 5, en-de-dot is here."


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


def test_mounted_figure_escapes_markup(page, show, make):
    nasty = "</script><img src=x onerror=alert(1)> \u2028 & <!--"
    show(make(name=nasty))
    said = page.locator(STATUS).text_content()
    assert said == f"The number is 5, {nasty} is not here."
    assert page.locator("img").count() == 0
    assert html.escape(nasty) not in said


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

"""The figure in which a reader trains a model, by its own controls, from a file."""

import re
from base64 import b64decode

import pytest
from drawing import first_every_day, wait_until_drawn
from playwright.sync_api import expect
from reading import expect_status, parse_numbers

from attnlab.live import Train
from attnlab.live.train import stored_looks, stored_runs
from attnlab.saved import load, save

SMALL = {"task": "reverse", "width": 16, "layers": 1, "heads": 2, "inner": 16}
STEP_STATUS = re.compile(
    r"Step ([\d\u202f]+) of ([\d\u202f]+), loss (\d+\.\d+) and (\d+)% of the tokens"
)


@pytest.fixture
def open_figure(show_figures):
    """`open_figure(**traits)`: one such figure in a page of its own."""

    def open_one(**traits):
        return show_figures(Train(**{**SMALL, **traits})).locator("figure")

    return open_one


def press_button(figure, name):
    figure.get_by_role("button", name=name, exact=True).click()


def status_text(figure):
    return figure.get_by_role("status").inner_text()


def expect_end(figure):
    expect(figure.get_by_role("status")).to_contain_text("All steps are taken")


def test_train_stops_and_resumes(open_figure):
    one = open_figure(steps=1000)
    expect_status(one.page, "Transformer, 1 layer, 2 heads, width 16")
    stop = one.get_by_role("button", name="Stop", exact=True)
    expect(stop).to_have_attribute("aria-disabled", "true")
    press_button(one, "Train")
    expect(one.get_by_role("status")).to_contain_text(STEP_STATUS)
    stop.click()
    expect(one.get_by_role("status")).to_contain_text("Stopped.")
    step, steps = parse_numbers(STEP_STATUS.search(status_text(one))[0])[:2]
    assert 0 < step < steps == 1000
    assert "ms a step" in status_text(one)
    press_button(one, "Go on")
    expect_end(one)
    step, last = STEP_STATUS.search(status_text(one)).groups()[:2]
    assert step == last


def test_train_copied_link_restores_runs(show_figures):
    small = {**SMALL, "steps": 20, "rate": 0.0025, "scale": "one", "residual": False}
    page = show_figures(Train(**SMALL), Train(**small))
    last = page.locator("figure").last
    for score in ("scaled_dot", "none"):
        last.get_by_label("Model", exact=True).select_option("gru")
        last.get_by_label("Score", exact=True).select_option(score)
        press_button(last, "Train")
        expect_end(last)
    rows = last.locator(".tn-runs tbody tr")
    expect(rows).to_have_count(2)
    came_to = rows.all_inner_texts()
    press_button(last, "Copy link")
    copied = last.get_by_role("button", name=re.compile("Copied|address"))
    expect(copied).to_be_visible()
    assert "#train-2--run1-reverse-" in page.url
    assert "-0_0025-" in page.url and "-scaled_dot-" in page.url
    assert page.url.endswith("-one-false")
    page.reload()
    expect(last.get_by_label("Score", exact=True)).to_have_value("none")
    expect(last.get_by_label("Rate", exact=True)).to_have_value("0.0025")
    first = page.locator("figure").first
    expect(first.get_by_label("Model", exact=True)).to_have_value("transformer")
    expect(first.get_by_role("button", name="Train them all")).to_be_hidden()
    press_button(last, "Train them all")
    expect(rows).to_have_count(2)
    expect_end(last)
    wait_until_drawn(page)
    assert rows.all_inner_texts() == came_to
    page.goto(page.url.replace("-20-", "-300-"))
    page.reload()
    press_button(last, "Train them all")
    expect(last.get_by_role("status")).to_contain_text(STEP_STATUS)
    stop = last.get_by_role("button", name="Stop", exact=True)
    stop.click()  # what waits is forgotten
    press_button(last, "Go on")
    expect(stop).to_have_attribute("aria-disabled", "true")
    expect(rows).to_have_count(1)


def test_train_further_settings_are_named_and_saved(open_figure, tmp_path):
    one = open_figure(steps=20)
    one.get_by_text("More settings").click()
    for label, value in (
        ("Activation", "gelu"),
        ("Scale of scores", "d"),
        ("Residual", "false"),
    ):
        one.get_by_label(label, exact=True).select_option(value)
    told = "no positions, GELU, no residual, scores times 1/d"
    one.get_by_label("Positions", exact=True).select_option("none")
    expect_status(one.page, told)
    press_button(one, "Train")
    expect_end(one)
    expect(one.locator(".tn-runs tbody tr")).to_contain_text(told)
    with one.page.expect_download() as download:
        press_button(one, "Save the weights")
    assert download.value.suggested_filename == "reverse-transformer-run-1.safetensors"
    model, about = load(download.value.path())
    config = about["config"]
    assert about["steps"] == 20 and about["settings"]["scale"] == "d"
    assert (config["activation"], config["attention_scale"]) == ("gelu", 2 / 16)
    assert not model.decoder.layers[0].residual
    # What is chosen after a run has ended is what is spoken of, not the run.
    one.get_by_label("Residual", exact=True).select_option("true")
    expect_status(one.page, "GELU, scores times 1/d: press Train to see it learn")


def test_train_example_shows_answer_and_attention(open_figure):
    one = open_figure(steps=20)
    press_button(one, "Train")
    expect_end(one)
    one.get_by_label("Example", exact=True).select_option("0")
    cells = one.locator(".aln-matrix tbody td")
    table = one.locator(".aln-matrix")
    words = one.get_by_label("Example", exact=True).locator("option").first.inner_text()
    heads = table.locator("thead th").all_inner_texts()
    assert heads == [*words.split(), "end"]
    assert table.locator("tbody th").all_inner_texts() == words.split()[::-1]
    expect(table.locator("td.gold")).to_have_count(len(words.split()))
    said = one.locator(".tn-answer :is(span, ins)").all_inner_texts()
    assert said == words.split()[::-1]
    read = "(a) => a.map((c) => c.style.getPropertyValue('--weight'))"
    weights = [float(weight) for weight in cells.evaluate_all(read)]
    rows = [weights[at : at + len(heads)] for at in range(0, len(weights), len(heads))]
    for row in rows:
        assert sum(row) == pytest.approx(1, abs=0.02)
    menu = one.get_by_label("Layer and head")
    told = re.compile(r"Alignment error of this head .*: (\d+)%")
    shown, errors = menu.input_value(), {}
    for head in menu.locator("option").all():
        menu.select_option(head.get_attribute("value"))
        errors[menu.input_value()] = int(told.search(one.inner_text())[1])
    assert len(errors) == 2 and errors[shown] == min(errors.values())
    before = table.inner_text()
    one.get_by_label("Example", exact=True).select_option("3")
    expect(table).not_to_have_text(before)
    one.get_by_text("last step's gradient").click()
    expect(one.locator(".tn-norms li").first).to_contain_text("source embedding")


def test_train_draws_run_beside_stored_run(show_figures):
    """And the slider goes over the steps of whichever of the two is shown."""
    figure = Train(**stored_runs()["places"]["traits"] | {"steps": 40})
    assert not figure.stops()  # of other settings nothing is stored
    figure = Train(**stored_runs()["places"]["traits"])
    one = show_figures(figure, guided=True).locator("figure")
    curves = one.locator(".tn-exact polyline")
    said, track = one.locator(".tn-answer"), one.get_by_role("slider")
    expect(curves).to_have_count(1)
    in_the_end = said.inner_text()
    track.press("Home")
    expect(said).not_to_have_text(in_the_end)
    expect_status(one, f"step {figure.stored()['points'][0]['step']}: ")
    press_button(one, "Explore")
    one.get_by_label("Steps", exact=True).fill("40")
    press_button(one, "Train")
    expect_end(one)
    expect(curves).to_have_count(2)
    expect(one.get_by_label("Run 1, step")).to_have_value("40")
    one.get_by_role("radio", name="stored").check(force=True)
    expect(one.get_by_label("Stored run, step")).to_have_value("40")
    expect(said).to_have_text(in_the_end)


COMPUTE_LOOK = """([settings, source]) => {
  const training = new Training(settings);
  for (let step = 0; step < 20; step++) training.step();
  const which = training.examples.findIndex((one) => `${one.source}` === `${source}`);
  const { answer, maps } = training.test().looks[which];
  return [answer, [...maps]];
}"""


@pytest.mark.parametrize("name", first_every_day([*stored_looks()], 2))
def test_train_stored_attention_equals_page(page, modules, name):
    modules("learn/training.js")
    stored = Train(**stored_runs()[name]["traits"]).stored()
    (example,), first = stored["examples"], stored["points"][0]
    settings = {**Train().state(), **stored["settings"]}
    answer, maps = page.evaluate(COMPUTE_LOOK, [settings, example["source"]])
    assert answer == first["answer"]
    layer, head = stored["head"]
    size = len(example["target"]) * (len(example["source"]) + 1)
    place = size * (layer * settings["heads"] + head)
    assert bytes(maps[place : place + size]) == b64decode(first["map"])


def test_train_in_lectures_opens_with_stored_run(root):
    texts = [path.read_text("utf-8") for path in (root / "book").glob("*.ipynb")]
    shown = [text for text in texts if r"data-figure=\"train\"" in text]
    assert shown
    for text in shown:
        assert r"\"stored\": {\"examples\"" in text


def load_weights_file(figure, path):
    figure.get_by_label("Load weights from a file").set_input_files(path)


@pytest.fixture
def saved_weights(open_figure, tmp_path):
    """A figure with a run of 60 steps, and the file of its weights."""
    one = open_figure(steps=60)
    press_button(one, "Train")
    expect_end(one)
    with one.page.expect_download() as download:
        press_button(one, "Save the weights")
    path = tmp_path / "mine.safetensors"
    download.value.save_as(path)
    return one, path


@pytest.mark.weekly
@pytest.mark.parametrize("by", ["the figure", "the package"])
def test_train_resumes_from_weights_file(saved_weights, by):
    one, path = saved_weights
    if by == "the package":
        model, about = load(path)
        for name in ("activation", "scale", "residual"):
            del about["settings"][name]  # as in a file of an earlier edition
        save(path, model, about)
    rows = one.locator(".tn-runs tbody tr")
    one.get_by_label("Width", exact=True).select_option("32")
    load_weights_file(one, path)
    expect(rows).to_have_count(2)
    expect(one.get_by_label("Width", exact=True)).to_have_value("16")
    expect(rows.first).to_contain_text("from mine.safetensors")
    expect(rows.first.locator("td").nth(2)).to_have_text("60")
    # New weights, with the same seed, would end as the run before them did.
    after, before = (float(row.locator("td").nth(3).inner_text()) for row in rows.all())
    assert after < before


@pytest.mark.weekly
def test_train_rejects_file_without_weights(saved_weights, tmp_path):
    one, path = saved_weights
    whole = path.read_bytes()
    broken = tmp_path / "broken.safetensors"
    for contents in (b"", b"no weights", whole[:-8], b"\xff" * 64):
        broken.write_bytes(contents)
        load_weights_file(one, broken)
        expect_status(one.page, "broken.safetensors is no file of weights")
        expect(one.locator(".tn-runs tbody tr")).to_have_count(1)
        press_button(one, "Start again")
        expect_end(one)
    model, about = load(path)
    del about["settings"]  # then those chosen count, and they are another model's
    save(path, model, about)
    one.get_by_label("Width", exact=True).select_option("32")
    load_weights_file(one, path)
    expect_status(one.page, "The weights of this file are of another model")


TRAIN_AGAIN = """(settings) => {
  const training = new Training(settings);
  const means = [0, 0, 0].map(() => {
    let sum = 0;
    for (let step = 0; step < 20; step++) sum += training.step().loss;
    return sum / 20;
  });
  const { exact } = training.test();
  return [training.model.parameters.count(), training.task.held.length, means, exact];
}"""


@pytest.mark.weekly
@pytest.mark.parametrize("name", stored_runs())
def test_train_stored_seeds_equal_page(page, modules, root, name):
    modules("learn/training.js")
    run = stored_runs()[name]
    assert run["steps"] == [*range(20, 801, 20)]
    assert len(run["exact"]) == len(run["loss"]) == 5
    settings = {**Train(**run["traits"]).state(), "seed": 1}
    parameters, held, means, exact = page.evaluate(TRAIN_AGAIN, settings)
    assert [round(mean, 4) for mean in means] == run["loss"][1][:3]
    assert exact == run["exact"][1][2]
    if name == "as it stands":
        text = (root / "book" / "train_your_own.md").read_text(encoding="utf-8")
        assert f"{parameters:,} parameters in all" in text
        assert f"the share of {held} held-out" in text
        assert f"at {run['exact'][0][-1]:.1%} of the held-out" in text

"""The figure in which a reader trains a model, by its own controls, from a file."""

import re
from base64 import b64decode

import pytest
from drawing import redrawn
from playwright.sync_api import expect
from reading import says

from attnlab.live import Train
from attnlab.live.train import stored_looks, stored_runs
from attnlab.saved import load, save

SMALL = {"task": "reverse", "width": 16, "layers": 1, "heads": 2, "inner": 16}
STEP = re.compile(
    r"Step ([\d\u202f]+) of ([\d\u202f]+), loss (\d+\.\d+) and (\d+)% of the tokens"
)


@pytest.fixture
def figure(show):
    """`figure(**traits)`: one such figure in a page of its own."""

    def open_one(**traits):
        return show(Train(**{**SMALL, **traits})).locator("figure")

    return open_one


def press(figure, name):
    figure.get_by_role("button", name=name, exact=True).click()


def status(figure):
    return figure.get_by_role("status").inner_text()


def ended(figure):
    expect(figure.get_by_role("status")).to_contain_text("All steps are taken")


def test_training_stops_and_goes_on(figure):
    one = figure(steps=2000)
    says(one.page, "Transformer, 1 layer, 2 heads, width 16")
    stop = one.get_by_role("button", name="Stop", exact=True)
    expect(stop).to_have_attribute("aria-disabled", "true")
    press(one, "Train")
    expect(one.get_by_role("status")).to_contain_text(STEP)
    stop.click()
    expect(one.get_by_role("status")).to_contain_text("Stopped.")
    step, steps = (
        int(n.replace("\u202f", "")) for n in STEP.search(status(one)).groups()[:2]
    )
    assert 0 < step < steps == 2000
    assert "ms a step" in status(one)
    press(one, "Go on")
    ended(one)
    assert STEP.search(status(one))[1] == STEP.search(status(one))[2]


def test_copied_link_restores_the_runs(show):
    small = {**SMALL, "steps": 20, "rate": 0.0025, "scale": "one", "residual": False}
    page = show(Train(**SMALL), Train(**small))
    last = page.locator("figure").last
    for score in ("scaled_dot", "none"):
        last.get_by_label("Model", exact=True).select_option("gru")
        last.get_by_label("Score", exact=True).select_option(score)
        press(last, "Train")
        ended(last)
    rows = last.locator(".tn-runs tbody tr")
    expect(rows).to_have_count(2)
    came_to = rows.all_inner_texts()
    press(last, "Copy link")
    expect(
        last.get_by_role("button", name=re.compile("Copied|address"))
    ).to_be_visible()
    assert "#train-2--run1-reverse-" in page.url
    assert "-0_0025-" in page.url and "-scaled_dot-" in page.url
    assert page.url.endswith("-one-false")
    page.reload()
    expect(last.get_by_label("Score", exact=True)).to_have_value("none")
    expect(last.get_by_label("Rate", exact=True)).to_have_value("0.0025")
    first = page.locator("figure").first
    expect(first.get_by_label("Model", exact=True)).to_have_value("transformer")
    expect(first.get_by_role("button", name="Train them all")).to_be_hidden()
    press(last, "Train them all")
    expect(rows).to_have_count(2)
    ended(last)
    redrawn(page)
    assert rows.all_inner_texts() == came_to


def test_further_settings_are_trained_named_and_saved(figure, tmp_path):
    one = figure(steps=20)
    one.get_by_text("More settings").click()
    for label, value in (
        ("Activation", "gelu"),
        ("Scale of scores", "d"),
        ("Residual", "false"),
    ):
        one.get_by_label(label, exact=True).select_option(value)
    told = "no positions, GELU, no residual, scores times 1/d"
    one.get_by_label("Positions", exact=True).select_option("none")
    says(one.page, told)
    press(one, "Train")
    ended(one)
    expect(one.locator(".tn-runs tbody tr")).to_contain_text(told)
    with one.page.expect_download() as download:
        press(one, "Save the weights")
    assert download.value.suggested_filename == "reverse-transformer-run-1.safetensors"
    model, about = load(download.value.path())
    config = about["config"]
    assert about["steps"] == 20 and about["settings"]["scale"] == "d"
    assert (config["activation"], config["attention_scale"]) == ("gelu", 2 / 16)
    assert not model.decoder.layers[0].residual
    # What is chosen after a run has ended is what is spoken of, not the run.
    one.get_by_label("Residual", exact=True).select_option("true")
    says(one.page, "GELU, scores times 1/d: press Train to see it learn")


def test_example_shows_its_answer_and_attention(figure):
    one = figure(steps=20)
    press(one, "Train")
    ended(one)
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


def test_training_is_drawn_beside_the_stored_run(show):
    """And the slider goes over the steps of whichever of the two is shown."""
    figure = Train(**stored_runs()["places"]["traits"] | {"steps": 40})
    assert not figure.stops()  # of other settings nothing is stored
    figure = Train(**stored_runs()["places"]["traits"])
    one = show(figure, guided=True).locator("figure")
    curves = one.locator(".tn-exact polyline")
    said, track = one.locator(".tn-answer"), one.get_by_role("slider")
    expect(curves).to_have_count(1)
    in_the_end = said.inner_text()
    track.press("Home")
    expect(said).not_to_have_text(in_the_end)
    says(one, f"step {figure.stored()['points'][0]['step']}: ")
    press(one, "Explore")
    one.get_by_label("Steps", exact=True).fill("40")
    press(one, "Train")
    ended(one)
    expect(curves).to_have_count(2)
    expect(one.get_by_label("Run 1, step")).to_have_value("40")
    one.get_by_role("radio", name="stored").check(force=True)
    expect(one.get_by_label("Stored run, step")).to_have_value("40")
    expect(said).to_have_text(in_the_end)


LOOK = """([settings, source]) => {
  const training = new Training(settings);
  for (let step = 0; step < 20; step++) training.step();
  const which = training.examples.findIndex((one) => `${one.source}` === `${source}`);
  const { answer, maps } = training.test().looks[which];
  return [answer, [...maps]];
}"""


@pytest.mark.parametrize("name", stored_looks())
def test_stored_look_is_what_the_page_computes(page, modules, name):
    modules("learn/training.js")
    stored = Train(**stored_runs()[name]["traits"]).stored()
    (example,), first = stored["examples"], stored["points"][0]
    settings = {**Train().state(), **stored["settings"]}
    answer, maps = page.evaluate(LOOK, [settings, example["source"]])
    assert answer == first["answer"]
    layer, head = stored["head"]
    size = len(example["target"]) * (len(example["source"]) + 1)
    place = size * (layer * settings["heads"] + head)
    assert bytes(maps[place : place + size]) == b64decode(first["map"])


def test_every_training_in_the_lectures_opens_with_a_stored_run(root):
    texts = [path.read_text("utf-8") for path in (root / "book").glob("*.ipynb")]
    shown = [text for text in texts if r"data-figure=\"train\"" in text]
    assert shown
    for text in shown:
        assert r"\"stored\": {\"examples\"" in text


def load_weights(figure, path):
    figure.get_by_label("Load weights from a file").set_input_files(path)


@pytest.fixture
def saved(figure, tmp_path):
    """A figure with a run of 60 steps, and the file of its weights."""
    one = figure(steps=60)
    press(one, "Train")
    ended(one)
    with one.page.expect_download() as download:
        press(one, "Save the weights")
    path = tmp_path / "mine.safetensors"
    download.value.save_as(path)
    return one, path


@pytest.mark.weekly
@pytest.mark.parametrize("by", ["the figure", "the package"])
def test_training_resumes_from_a_weights_file(saved, by):
    one, path = saved
    if by == "the package":
        model, about = load(path)
        for name in ("activation", "scale", "residual"):
            del about["settings"][name]  # as in a file of an earlier edition
        save(path, model, about)
    rows = one.locator(".tn-runs tbody tr")
    one.get_by_label("Width", exact=True).select_option("32")
    load_weights(one, path)
    expect(rows).to_have_count(2)
    expect(one.get_by_label("Width", exact=True)).to_have_value("16")
    expect(rows.first).to_contain_text("from mine.safetensors")
    expect(rows.first.locator("td").nth(2)).to_have_text("60")
    # New weights, with the same seed, would end as the run before them did.
    after, before = (float(row.locator("td").nth(3).inner_text()) for row in rows.all())
    assert after < before


@pytest.mark.weekly
def test_file_that_holds_no_weights_is_refused_in_words(saved, tmp_path):
    one, path = saved
    whole = path.read_bytes()
    broken = tmp_path / "broken.safetensors"
    for contents in (b"", b"no weights", whole[:-8], b"\xff" * 64):
        broken.write_bytes(contents)
        load_weights(one, broken)
        says(one.page, "broken.safetensors is no file of weights")
        expect(one.locator(".tn-runs tbody tr")).to_have_count(1)
        press(one, "Start again")
        ended(one)
    model, about = load(path)
    del about["settings"]  # then those chosen count, and they are another model's
    save(path, model, about)
    one.get_by_label("Width", exact=True).select_option("32")
    load_weights(one, path)
    says(one.page, "The weights of this file are of another model")


@pytest.mark.weekly
def test_starting_again_replaces_the_worker(figure):
    one = figure(steps=20_000)
    press(one, "Train")
    expect(one.get_by_role("status")).to_contain_text(STEP)
    (worker,) = one.page.workers
    press(one, "Start again")
    expect(one.get_by_role("status")).to_contain_text(STEP)
    for _ in range(600):  # one that is ended goes a little later
        if worker not in one.page.workers:
            break
        one.page.wait_for_timeout(100)
    assert worker not in one.page.workers and len(one.page.workers) == 1


AGAIN = """(settings) => {
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
def test_stored_seeds_are_what_the_page_computes(page, modules, root, name):
    modules("learn/training.js")
    run = stored_runs()[name]
    assert run["steps"] == [*range(20, 801, 20)]
    assert len(run["exact"]) == len(run["loss"]) == 5
    settings = {**Train(**run["traits"]).state(), "seed": 1}
    parameters, held, means, exact = page.evaluate(AGAIN, settings)
    assert [round(mean, 4) for mean in means] == run["loss"][1][:3]
    assert exact == run["exact"][1][2]
    if name == "as it stands":
        text = (root / "book" / "train_your_own.md").read_text(encoding="utf-8")
        assert f"{parameters:,} parameters in all" in text
        assert f"the share of {held} held-out" in text
        assert f"at {run['exact'][0][-1]:.1%} of the held-out" in text

"""Trainings in the page: tasks, own pairs, the same digits everywhere, files."""

import json
from itertools import chain

import pytest
import torch
from drawing import first_every_day

from attnlab.data import alignment, collate, number_tokens
from attnlab.live import Train
from attnlab.live.page import WORKER_NAME, late_weight_bytes
from attnlab.saved import load

SMALL = Train(layers=1, heads=2, width=16, inner=32, batch=16, steps=30, seed=3)
SETTINGS = {**SMALL.state(), "rate": 0.01}


@pytest.fixture
def run_training(page, modules):
    """`run_training(code, **settings)`: what JavaScript says of a training so set."""
    modules("learn/training.js", "learn/saving.js", "learn/tasks.js", "learn/random.js")
    modules("learn/worker.js", "learn/batches.js")

    def call_training(code, simd=True, **settings):
        told = {"settings": {**SETTINGS, **settings}, "simd": simd}
        return page.evaluate(
            f"({{ settings, simd }}) => (({code})(new Training(settings, {{ simd }})))",
            told,
        )

    return call_training


# Every step's loss counts: one bit that differs early is another digit in the end.
LAST_LOSS = """(training) => {
  let last;
  for (let step = 0; step < 30; step++) last = training.step();
  const { exact, looks } = training.test();
  return `${last.loss} ${last.norm} ${exact} ${looks[0].answer.join(" ")}`;
}"""
STORED_LOSSES = {
    "transformer": (
        "2.1147406177746224 1.325764128760689 0 zwei hundert fünf und drei zig <eos> "
        "acht hundert acht und acht zig"
    ),
    "gru": (
        "2.391266135874455 0.6339491491315046 0 vier hundert fünf <eos> zig zig <eos> "
        "fünf hundert fünf hundert zig zig"
    ),
}


@pytest.mark.parametrize("simd", first_every_day([True, False]))
@pytest.mark.parametrize("model", STORED_LOSSES)
def test_js_training_equals_stored_digits(run_training, model, simd):
    assert run_training(LAST_LOSS, simd, model=model) == STORED_LOSSES[model]
    assert run_training(LAST_LOSS, simd, model=model, seed=4) != STORED_LOSSES[model]


MAKE_TASK = """({ settings }) => {
  const task = makeTask(settings, new Random(settings.seed));
  const { train } = task;
  return JSON.stringify({ ...task, train: train.slice(0, 300), all: train.length });
}"""


@pytest.fixture
def make_task(page, run_training):
    """`make_task(**settings)`: the vocabularies and pairs of a task."""
    return lambda **settings: json.loads(
        page.evaluate(MAKE_TASK, {"settings": {**SETTINGS, **settings}})
    )


NUMBER_OF_TOKENS = {tuple(number_tokens(n, "en")): n for n in range(1000)}


def pair_words(pair, found):
    """The words behind a pair's ids, which must be its own."""
    words = [found["srcTokens"][i] for i in pair["src"]]
    said = [found["tgtTokens"][i] for i in pair["tgt"]]
    assert words == [*pair["source"], "<eos>"]
    return pair["source"], said


@pytest.mark.parametrize("language", ["de", "ja"])
def test_js_numeral_tasks_equal_package(make_task, language):
    found = make_task(language=language)
    assert found["all"] == 6000 and len(found["held"]) == 200
    seen = {tuple(pair["source"]) for pair in found["train"]}
    assert not seen & {tuple(pair["source"]) for pair in found["held"]}
    checked = 0
    for pair in found["train"]:
        source, said = pair_words(pair, found)
        if tuple(source) in NUMBER_OF_TOKENS:
            number = NUMBER_OF_TOKENS[tuple(source)]
            assert said == ["<bos>", *number_tokens(number, language), "<eos>"]
            links = {tuple(link) for link in pair["links"]}
            assert links == alignment(number, "en", language)
            checked += 1
    assert checked > 20


def test_js_decoder_only_predicts_target_tokens(make_task):
    apart, found = make_task(), make_task(model="decoder")
    assert found["srcTokens"] == found["tgtTokens"]
    for pair, other in zip(found["train"], apart["train"], strict=True):
        row = [found["srcTokens"][i] for i in pair["src"]]
        length = len(other["source"])
        assert row == [*other["source"], "<bos>", *other["target"], "<eos>"]
        assert pair["tgt"] == [0] * length + pair["src"][length + 1 :] + [0]
        links = [(t - length, s) for t, s in pair["links"]]
        assert links == [tuple(link) for link in other["links"]]


LETTER_ORDERS = {
    "copy": lambda letters: letters,
    "reverse": lambda letters: letters[::-1],
    "sort": sorted,
}


@pytest.mark.parametrize("name", LETTER_ORDERS)
def test_js_letter_tasks_copy_reverse_or_sort(make_task, name):
    found = make_task(task=name)
    for pair in found["train"]:
        source, said = pair_words(pair, found)
        assert said == ["<bos>", *LETTER_ORDERS[name](source), "<eos>"]
        assert 3 <= len(source) <= 10
        for t, s in pair["links"]:
            assert pair["target"][t] == source[s]
        assert {t for t, _ in pair["links"]} == {*range(len(source))}


@pytest.mark.parametrize("name", ["recall", "recall2"])
def test_js_recall_answers_occur_in_the_input(make_task, name):
    found = make_task(task=name, model="reader")
    for pair in found["train"]:
        source, said = pair_words(pair, found)
        assert len(source) == 24
        asked = [t for t, word in enumerate(source) if word.endswith("?")]
        assert [t for t, _ in pair["links"]] == asked
        assert all((said[t] != "<pad>") == (t in asked) for t in range(24))
        for t, s in pair["links"]:
            letter = source[t][0]
            item = source[s] if name == "recall" else source[s - 1] + source[s]
            assert item == letter + said[t]


GOOD = "\n".join(f"{a} {b} = {b} {a}" for a in "abcde" for b in "uvwxyz")
BAD_PAIRS = {
    "no pairs yet": "  \n\n",
    "Line 1, “one two three”, is not a pair": "one two three\n" + GOOD,
    "Line 2, “a =”": "a = b\na = \n" + GOOD,
    "at least 20": "a = b\nb = a",
    "at most 5000": "a = b\n" * 5001,
    "at most 40": f"{'a ' * 41}= b\n" + GOOD,
    "at most 2000": "\n".join(f"w{i} = b" for i in range(2001)),
}


@pytest.mark.weekly
@pytest.mark.parametrize("said", BAD_PAIRS)
def test_parse_pairs_rejects_bad_text(page, make_task, said):
    with pytest.raises(Exception, match=said):
        make_task(task="own", pairs=BAD_PAIRS[said])


@pytest.mark.parametrize("sign", ["\t", " -> "])
def test_parse_pairs_reads_lines(make_task, sign):
    found = make_task(task="own", pairs=GOOD.replace(" = ", sign).replace("\n", "\r\n"))
    assert found["srcTokens"] == ["<pad>", "<bos>", "<eos>", *"abcdeuvwxyz"]
    pairs = [*found["train"], *found["held"]]
    assert len(pairs) == 30 and len(found["held"]) == 3
    for pair in pairs:
        source, said = pair_words(pair, found)
        assert said == ["<bos>", *source[::-1], "<eos>"]
        assert pair["links"] is None


def test_parse_pairs_splits_into_characters(make_task):
    lines = "\n".join(f"né{a} = {a}☃" for a in "abcdefghijklmnopqrst")
    found = make_task(task="own", pairs=lines, units="characters")
    assert {*"né", *"abc"} < {*found["srcTokens"]}
    assert "☃" in found["tgtTokens"]


SAVE_MODEL = """(training) => {
  for (let step = 0; step < 5; step++) training.step();
  const { srcTokens, tgtTokens, held } = training.task;
  const about = { src_tokens: srcTokens, tgt_tokens: tgtTokens, note: "ü" };
  const pairs = held.slice(0, 5);
  const { answers } = training.forward(pairs);
  return { file: [...saveModel(training.model, about)], answers: [...answers],
    ids: pairs.map(({ src, tgt }) => [src, tgt]) };
}"""


@pytest.mark.weekly
@pytest.mark.parametrize(
    "settings",
    [
        {"positions": "learned", "norm": "pre"},
        {"model": "gru", "score": "none"},
        {"model": "gru", "score": "location"},
        {"model": "reader", "task": "places", "language": "en", "inner": 0},
        {"activation": "gelu", "scale": "d", "residual": False},
        {"model": "decoder", "activation": "gelu", "scale": "one", "residual": False},
    ],
    ids=str,
)
def test_saved_loads_weights_of_the_page(run_training, tmp_path, settings):
    here = run_training(SAVE_MODEL, **settings)
    path = tmp_path / "mine.safetensors"
    path.write_bytes(bytes(here["file"]))
    model, about = load(path)
    assert about["note"] == "ü"
    assert about["src_tokens"][:3] == ["<pad>", "<bos>", "<eos>"]
    batch = collate([tuple(pair) for pair in here["ids"]])
    with torch.no_grad():
        alone = settings.get("model") in ("reader", "decoder")
        logits = model(batch.src, *([] if alone else [batch.tgt[:, :-1]]))
    assert logits.argmax(-1).flatten().tolist() == here["answers"]


def test_endless_batches_shuffle_each_epoch(page, run_training):
    epochs = page.evaluate(
        """() => {
          const pairs = Array.from({ length: 25 }, (_, i) => (
            { src: Array(1 + i % 7).fill(3 + i), tgt: [1, 3 + i, 2] }));
          const batches = endlessBatches(pairs, 4, new Random(1));
          return [0, 1].map(() => Array.from({ length: 7 }, () => {
            const { tgt, size } = batches.next().value;
            return Array.from({ length: size }, (_, b) => tgt[3 * b + 1]);
          }));
        }"""
    )
    for epoch in epochs:
        assert sorted(chain(*epoch)) == [*range(3, 28)]
    assert epochs[0] != epochs[1]


# The worker ---------------------------------------------------------------------------

TALK_TO_WORKER = """([program, settings, says]) => new Promise((done) => {
  const url = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  const worker = new Worker(url);
  const heard = [];
  worker.onmessage = ({ data }) => {
    heard.push({ ...data, bytes: data.bytes?.length });
    for (const message of says[data.told] ?? []) worker.postMessage(message);
    delete says[data.told];
    if (["over", "refused", "failed", "file"].includes(data.told)) {
      worker.terminate();
      done(heard);
    }
  };
  worker.postMessage({ say: "begin", settings });
})"""


@pytest.fixture
def talk_to_worker(page):
    """`talk_to_worker(says, **settings)`: its messages; it hears `says[told]`."""
    page.goto("about:blank")
    program = late_weight_bytes(WORKER_NAME).decode()
    return lambda says, **settings: page.evaluate(
        TALK_TO_WORKER, [program, {**SETTINGS, **settings}, says]
    )


@pytest.mark.weekly
def test_training_worker_resumes_exactly_after_stop(talk_to_worker):
    straight = talk_to_worker({"begun": [{"say": "go"}]}, steps=200)
    go, stop = {"say": "go"}, {"say": "stop"}
    says = {"begun": [go], "progress": [stop], "stopped": [go]}
    broken = talk_to_worker(says, steps=200)
    assert "stopped" in [one["told"] for one in broken]
    curves = [
        [point for one in heard for point in one.get("points", [])]
        for heard in (broken, straight)
    ]
    assert curves[0] == curves[1]
    steps = [point["step"] for point in curves[1]]
    assert steps == [*range(steps[0], 201, 5)]


def test_training_worker_reports_errors(talk_to_worker):
    (refused,) = talk_to_worker({}, heads=3)
    assert refused["told"] == "refused" and "3 heads" in refused["message"]
    *_, failed = talk_to_worker({"begun": [{"say": "go"}]}, rate=1e38)
    assert failed["told"] == "failed"
    assert "no number any more" in failed["message"]

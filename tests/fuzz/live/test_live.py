"""Live figures from Python: any value of any trait is taken or refused by name."""

import html.parser
import json
import re
import tempfile
from numbers import Real
from pathlib import Path

import torch
import traitlets
from fuzzing import (
    ODD_NUMBERS,
    ODD_TEXT,
    ODD_THINGS,
    REFUSED,
    attempt,
    fuzz,
    is_size,
    sizes,
    tensors,
)
from hypothesis import assume, given
from hypothesis import strategies as st

from attnlab import saved
from attnlab.data import NumberPairs
from attnlab.live.alignment import Alignment
from attnlab.live.base import LiveFigure
from attnlab.live.bottleneck import Bottleneck
from attnlab.live.bundle import bundle, top_level_names
from attnlab.live.cost import Cost, compact, stored_machines
from attnlab.live.cutwire import CutWire
from attnlab.live.energy import Energy
from attnlab.live.heads import Heads
from attnlab.live.hero import Hero
from attnlab.live.influence import Influence
from attnlab.live.lookup import LookUp
from attnlab.live.positions import Positions
from attnlab.live.scores import SCORES, SEEDS, SixScores, stored_scores, weights_name
from attnlab.live.step import OneStep, StepTaken
from attnlab.live.traits import (
    Number,
    Whole,
    check_items,
    check_number,
    check_point,
    check_points,
    check_within,
)
from attnlab.live.translate import Translate, all_heads, stored_translation
from attnlab.recurrent import Seq2Seq
from attnlab.scores import DotScore
from attnlab.sentences.translator import load_translator
from attnlab.tagger import Tagger
from tools import live_weights
from tools.six_scores import all_translations
from tools.trace import describe_model, trace

FIGURES = [
    Alignment, Bottleneck, Cost, CutWire, Energy, Heads, Hero, Influence, LookUp,
    OneStep, Positions, SixScores, Translate,
]  # fmt: skip
POINT = st.lists(st.one_of(st.floats(-3, 3), ODD_NUMBERS), min_size=2, max_size=2)
VALUES = st.one_of(
    ODD_THINGS,
    st.integers(-5, 70),
    st.floats(-5, 120),
    st.booleans(),
    st.lists(POINT, max_size=4),
    POINT,
    st.lists(st.integers(-1, 64), max_size=4),
    st.lists(st.lists(st.booleans(), max_size=4), max_size=3),
    st.lists(st.sampled_from(["attention", "gru", "encoder"]), max_size=3),
    st.lists(ODD_THINGS, max_size=3),
    st.dictionaries(st.text(), ODD_THINGS, max_size=2),
    st.sampled_from(["de", "en", "plane", "pictures", "flops", "dot", "302", "n", "d"]),
)
REFUSALS = (traitlets.TraitError, TypeError)


class _Reader(html.parser.HTMLParser):
    """The tags of a page, and its JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.tags, self.data = [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = dict(attributes).get("type")

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script" and self.inside:
            self.data, self.inside = data, None


def check_page(figure: LiveFigure) -> None:
    """Its HTML has the same tags whatever its traits hold, and JSON that is JSON."""
    page = _Reader()
    page.feed(figure._repr_html_())
    assert page.tags == ["figure", "p", "p", "figcaption", "script", "script"]
    state = json.loads(page.data, parse_constant=lambda name: 1 / 0)["state"]
    plain = json.loads(json.dumps(figure.state(), allow_nan=False))
    assert {name: state[name] for name in plain} == plain
    assert repr(figure) == repr(figure)


@fuzz(*FIGURES, LiveFigure, StepTaken)
@given(data=st.data(), kind=st.sampled_from(FIGURES))
def test_any_value_of_a_trait_is_taken_or_refused(data, kind):
    figure = kind()
    names = sorted(figure.state())
    name, value = data.draw(st.sampled_from(names)), data.draw(VALUES)
    before = figure.state()
    try:
        setattr(figure, name, value)
    except REFUSALS as error:
        assert str(error)
        assert figure.state() == before
    check_page(figure)
    if kind in (Energy, LookUp):
        found = figure.fall() if kind is Energy else figure.attend()
        assert all(x.isfinite().all() for x in found)
    if kind is OneStep:
        assert all(x.isfinite().all() for x in figure.take())
    if kind is Cost:
        assert set(figure.costs()) == set(figure.layers)


@fuzz(*FIGURES, LiveFigure)
@given(
    data=st.data(),
    kind=st.sampled_from(FIGURES),
    name=st.one_of(st.just(None), st.from_regex(r"[a-z]{1,5}", fullmatch=True)),
)
def test_a_figure_is_made_or_refused(data, kind, name):
    known = kind.class_trait_names(sync=True)
    own = [one for one in known if not one.startswith("_") and one not in SHARED]
    name = data.draw(st.sampled_from(own)) if name is None else name
    assume(name in own or name not in kind.class_trait_names())
    try:
        figure = kind(**{name: data.draw(VALUES)})
    except REFUSALS as error:
        assert str(error)
        return
    check_page(figure)


SHARED = set(LiveFigure.class_trait_names())


@fuzz(Cost, compact, stored_machines, share=0.5)
@given(
    st.one_of(
        ODD_THINGS,
        st.fixed_dictionaries({"runs": st.lists(ODD_THINGS, max_size=2)}),
        st.fixed_dictionaries(
            {
                "runs": st.lists(
                    st.fixed_dictionaries(
                        {
                            "setting": st.fixed_dictionaries(
                                {
                                    "layer": st.sampled_from(["gru", "dilated", "x"]),
                                    "n": ODD_NUMBERS,
                                    "d": st.just(8),
                                    "phase": st.one_of(st.just("forward"), ODD_TEXT),
                                }
                            ),
                            "figures": st.fixed_dictionaries(
                                {
                                    "seconds": st.one_of(st.none(), ODD_THINGS),
                                    "megabytes": ODD_NUMBERS,
                                }
                            ),
                            "machine": st.one_of(st.just({"cpu": "<b>"}), ODD_THINGS),
                        }
                    ),
                    max_size=2,
                )
            }
        ),
    )
)
def test_other_results_are_refused(results):
    found = attempt(compact, results)
    if found is not REFUSED:
        assert json.dumps(found, allow_nan=False)
        check_page(Cost(results))
    assert stored_machines()


@fuzz(Whole)
@given(st.one_of(st.integers(-2, 11), ODD_THINGS))
def test_a_whole_number_is_no_truth_value(value):
    class Counter(traitlets.HasTraits):
        count = Whole(0, min=0, max=9)

    counter = Counter()
    number = isinstance(value, Real) and not isinstance(value, bool)
    fits = number and 0 <= value <= 9 and value % 1 == 0  # 2.0 is taken for 2
    try:
        counter.count = value
    except traitlets.TraitError:
        assert not fits and counter.count == 0
    else:
        assert fits and counter.count == value


@fuzz(Number, check_within)
@given(st.one_of(st.floats(-2, 11), ODD_NUMBERS, ODD_THINGS))
def test_a_number_is_within_its_bounds(value):
    class Gauge(traitlets.HasTraits):
        level = Number(0.0, min=0, max=9)

    gauge = Gauge()
    try:
        gauge.level = value
    except traitlets.TraitError:
        assert gauge.level == 0
    else:
        assert 0 <= gauge.level <= 9
    found = attempt(check_within, "x", value, 9, errors=traitlets.TraitError)
    assert found is REFUSED or -9 <= found <= 9


@fuzz(check_items, check_number)
@given(st.one_of(VALUES, tensors(), st.just(range(3))))
def test_lists_and_numbers_of_any_kind_become_plain_ones(value):
    items = attempt(check_items, "x", value, errors=traitlets.TraitError)
    assert items is REFUSED or type(items) is list
    number = attempt(check_number, "x", value, 9, errors=traitlets.TraitError)
    if number is not REFUSED:
        assert type(number) in (int, float) and number == value and abs(number) <= 9


@fuzz(check_point, check_points)
@given(st.one_of(st.lists(st.one_of(POINT, ODD_THINGS), max_size=3), POINT))
def test_points_lie_in_the_plane(points):
    errors = traitlets.TraitError
    found = attempt(check_points, "point", points, (1, 2), 3, errors=errors)
    each = [attempt(check_point, "p", point, 3, errors=errors) for point in points]
    if found is REFUSED:
        assert REFUSED in each or not 1 <= len(points) <= 2
    else:
        assert found == each and all(abs(x) <= 3 for point in found for x in point)


# Weights ----------------------------------------------------------------------------


@fuzz(
    saved.path_of, saved.read_bytes, saved.read_base64, saved.load_weights,
    saved.names,
)  # fmt: skip
@given(st.one_of(ODD_TEXT, ODD_THINGS, st.just("en-de-dot"), st.just("../x")))
def test_unknown_weights_are_named(name):
    known = isinstance(name, str) and name in saved.names()
    for read in (saved.path_of, saved.read_bytes, saved.load_weights):
        assert (attempt(read, name) is not REFUSED) == known
    assert (attempt(saved.read_base64, name) is not REFUSED) == known


SMALL = {
    "Tagger": {"vocab_size": 5, "num_classes": 3, "d_model": 4, "encoder": "cnn"},
    "Transformer": {
        "src_vocab": 5, "tgt_vocab": 5, "d_model": 4, "num_heads": 2, "num_layers": 1,
        "d_ff": 4, "tie_embeddings": "all",
    },
    "Seq2Seq": {"src_vocab": 5, "tgt_vocab": 4, "d_model": 4, "score": {"name": "dot"}},
}  # fmt: skip


@fuzz(saved.build_model, saved.save, saved.load, saved.rounded, saved.load_rounded)
@given(
    data=st.data(), kind=st.sampled_from(list(SMALL)), bits=st.sampled_from(saved.BITS)
)
def test_models_go_into_files_and_come_back(data, kind, bits):
    config = dict(SMALL[kind])
    if data.draw(st.booleans()):
        name = data.draw(st.sampled_from([one for one in config if one != "score"]))
        config[name] = data.draw(st.one_of(sizes(1, 8), ODD_TEXT))
    model = attempt(saved.build_model, kind, config)
    if model is REFUSED:
        return
    assert type(model).__name__ == kind
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.safetensors")
        saved.save(path, model, {"config": config}, bits=bits)
        again, metadata = saved.load(path)
        assert metadata == {"config": config} and not again.training
        for name, x in again.state_dict().items():
            most = model.state_dict()[name].abs().max() + 1e-6
            assert (x - model.state_dict()[name]).abs().max() <= most / 100
        saved.load_rounded(model, saved.rounded(again, 16))


@fuzz(saved.to_eight_bits)
@given(tensors())
def test_only_matrices_are_rounded(x):
    found = attempt(saved.to_eight_bits, x)
    if found is not REFUSED:
        multiples, scales = found
        assert multiples.dtype == torch.int8 and scales.isfinite().all()
        back = multiples.float() * scales[:, None]
        error = (back - x.float()).abs()
        assert (error <= 0.51 * scales[:, None] + 1e-30).all()
    elif x.is_floating_point():
        assert x.dim() != 2 or x.numel() == 0


# Bundles ----------------------------------------------------------------------------

LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "export function renderX() {}", "const a = 1;", "export let b = 2;",
                'import { a } from "./other.js";', "export default 3;",
                'import "./other.js";', "function mountPage() {}", "  indented();",
                "export const renderX = () => {};",
                'import { x } from "./main.js";',
            ]
        ),
        ODD_TEXT,
    ),
    max_size=4,
).map("\n".join)  # fmt: skip


@fuzz(bundle, top_level_names)
@given(main=LINES, other=st.one_of(st.none(), LINES))
def test_modules_are_joined_or_refused(main, other):
    with tempfile.TemporaryDirectory() as folder:
        entry = Path(folder, "main.js")
        entry.write_text(main, encoding="utf-8", newline="\n")
        if other is not None:
            path = Path(folder, "other.js")
            path.write_text(other, encoding="utf-8", newline="\n")
        errors = (ValueError, FileNotFoundError)
        joined = attempt(bundle, entry, "renderX", errors=errors)
    names = top_level_names(main)
    if joined is not REFUSED:
        assert "renderX" in names
        assert not re.search(r"^import ", joined, re.MULTILINE)
        assert top_level_names(joined).count("renderX") == 1


# Models of the figures --------------------------------------------------------------


@fuzz(all_heads, stored_translation, describe_model)
@given(size=st.integers(0, 10**7), seconds=st.floats(0, 1e6))
def test_what_the_page_says_of_a_model(size, seconds):
    about = stored_translation()["about"]["config"]
    assert len(all_heads()) == 3 * about["num_layers"] * about["num_heads"]
    metadata = {
        "config": about, "parameters": 1, "train_pairs": 2, "longest_source": 3,
        "seconds": seconds,
    }  # fmt: skip
    assert describe_model(metadata, size)["megabytes"] >= 0


@fuzz(trace, share=0.01)
@given(text=ODD_TEXT, width=sizes(1, 3))
def test_any_sentence_is_traced_or_refused(text, width):
    found = attempt(trace, load_translator(), text[:60], width)
    if found is not REFUSED:
        assert is_size(width) and json.dumps(found, allow_nan=False)


@fuzz(all_translations, stored_scores, weights_name, share=0.05)
@given(number=st.one_of(st.integers(-5, 10**12 + 5), ODD_THINGS))
def test_any_number_is_translated_by_all_six_or_refused(number):
    found = attempt(all_translations, number)
    if found is not REFUSED:
        assert set(found) == set(stored_scores())
        assert set(found["pictures"]) == set(SCORES)
        assert all(len(runs) == len(SEEDS) for runs in found["pictures"].values())
        assert json.dumps(found, allow_nan=False)
    assert {weights_name(score, seed) for score in SCORES for seed in SEEDS} < set(
        saved.names()
    )


@fuzz(live_weights.recipes, live_weights.attentive, live_weights.all_but_one)
@given(layers=st.integers(1, 3), heads=st.integers(1, 4), target=ODD_TEXT)
def test_recipes_are_models(layers, heads, target):
    for name, recipe in live_weights.recipes().items():
        assert recipe["max_digits"] <= 12 and name
    assert live_weights.attentive(target, "dot")["target"] == target
    masks = live_weights.all_but_one(layers, heads)
    for layer, row in enumerate(masks):
        for head, mask in enumerate(row):
            assert not mask[layer, head] and mask.sum() == layers * heads - 1


@fuzz(live_weights.read_right, live_weights.measure_alignment, share=0.3)
@given(numbers=st.lists(st.integers(0, 10**12 - 1), max_size=3))
def test_models_are_measured_by_shares(numbers):
    torch.manual_seed(0)
    tagger = Tagger(40, 14, 4, num_heads=1).eval()
    share = attempt(live_weights.read_right, tagger, numbers, "en")
    assert (share is not REFUSED) == bool(numbers)
    if numbers:
        assert 0 <= share <= 1
        pairs = NumberPairs(numbers)
        model = Seq2Seq(40, 40, 4, score=DotScore()).eval()
        assert 0 <= live_weights.measure_alignment(model, pairs) <= 1

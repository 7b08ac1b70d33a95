"""attnlab: the package under the book *Attention, Measured*.

Map of the repository. A module imports only from modules above it in this list, and
none imports the tools that make the book; `make lint` checks it (pyproject.toml)::

    src/attnlab/      the package: what the chapters build, one module per concept
      checks.py       input checks and their error messages
      tokens.py       the ids PAD, BOS and EOS
      device.py       choice of device: cuda, mps or cpu
      files.py        atomic writes: a file is complete or absent
      notebook.py     NameErrors in notebooks: which cell defines the missing name
      commands.py     command lines: help, number ranges, error messages, exit status
      source.py       show_source: the package's own code as a listing in a chapter
      dropout.py      dropout with cheap random bits
      masks.py        causal, window and padding masks, and the masked softmax
      fused.py        faster attention: torch's fused kernels, and banded attention
      torch_weights.py  weights of torch's own modules, copied into ours
      attention.py    scaled dot-product attention, many heads
      scores.py       score functions of query and key (chapter 2), by name
      positions.py    sinusoidal, learned and rotary positions, ALiBi
      cache.py        key-value cache for step-by-step decoding
      recurrent_attention.py  what recurrent decoders attend with: windows, soft or hard
      recurrence.py   one recurrent layer, over sequences of unequal lengths
      recurrent_layers.py     encoder and decoders of recurrent translators
      recurrent.py    recurrent translators, without attention and with it
      layers.py       encoder and decoder layers of the Transformer
      incremental_decoding.py  the layers for one new token, with few calls
      transformer.py  the Transformer
      tagger.py       a small token classifier
      decoding.py     greedy decoding and beam search
      decoder_only.py  a language model: RMSNorm, SwiGLU, rotary, grouped queries, cache
      grouped.py      heads that share keys and values
      hopfield.py     associative memories
      linear_attention.py  a state in place of a cache: sum, decay, delta rule, gates
      online.py       exact attention that never holds all of its weights
      sampling.py     drawing what comes next: temperature, top-k, top-p
      ngrams.py       counts of tokens in a row, smoothed (Kneser–Ney)
      store.py        stored results of studies: run, load, select, provenance
      data/           vocabularies and batches: numerals, places, real sentences
        grammar.py    number words of five languages: tokens and their meanings
        numbers.py    a numeral as tokens, and tokens as text again
        corpora.py    the real sentences: Multi30k and others, downloaded, checked
        text.py       tokenizers, and splits into training and test sentences
      training/       losses, evaluation, schedule, loop, checkpoints; several processes
        terminal.py   the progress bar, and Ctrl-C or a notebook's ■
      saved.py        trained weights: saving and loading
      sentences/      translating real sentences: recipes, translator, BLEU (scoring.py)
        writer.py     a language model that writes captions: training and sampling
      pretrained.py   a published pretrained model: all-MiniLM-L6-v2
      complexity/     cost of layers: formulas (layers.py), counts (counting.py), times
      claims.py       verdicts on the sources' claims; their text: claims.yml, beside it
      exercises/      checks and hints: chapter1.py and so on, by checking.py
      experiments/    studies, one module per question; results in results/NAME.json
        study.py      what studies share: seeds, tuned learning rates, command line
      figures/        chapters' pictures of a study or a model; palette.py, style.py
        seeds.py      plots over several seeds: mean and range
      live/           live figures: one class each, for state and caption
        css/          their style sheets: live.css for all, colours first; plane,
                      matrix, linkmatrix and headmaps for some
        js/figures/   one folder per figure: drawing, computing, and what it tells a
                      screen reader (words.js); forecast/ hides answers
        js/           shared code: shell, math, parts (controls); models and words
                      as in Python
        js/learn/     training in the page, in a worker: tensors, gradients, models
        page.py       what a page needs to run figures, and a stored notebook does not
        weights/      the trained models that they load; book/_ext/live_figures.py
                      lays them beside the pages, as scripts
      bench/          benches: train a lab's networks with your own settings, in a
                      thread that Stop ends
    tools/            what makes the book, not in the wheel: authoring (runs chapters
                      and checks them), machines (as other processors would), slides,
                      pdf, serve, browser; live_weights, head_damage, pack,
                      pack_writer and published_maps make live/weights, kernels (by
                      wasm) and train_runs what js/learn needs, fonts the fonts of text
                      and formulas; lab/ sets JupyterLab
    book/             chapters and pages (extending.md: how to add things); _ext/
                      extends Sphinx (ledger.py: the ledger), _static/ styles pages
    tests/            mirrors src/attnlab/ and tools/; live/ runs in a browser
                      (test_contract.py holds every figure to the same), fuzz/ tries
                      odd input, book/ the built pages (test_comparison.py and
                      test_build.py spoil chapters on purpose: the gate must notice)
    benchmarks/       timings of the package, and Lighthouse audits of the pages
    docs/             the README's picture
    .github/          what runs at every push, and weekly; forms for issues
    Makefile          the everyday commands: make help
    requirements.txt  the exact versions that everything is built and tested with
    pyproject.toml    the versions the package supports; settings of all checks
    eslint.config.mjs  the linter's rules for JavaScript
    _config.yml       settings of the book; its pages are listed in _toc.yml
"""

from importlib import import_module
from typing import TYPE_CHECKING

# Bound at once: loading the module later would put the module in the function's place.
from attnlab.device import device
from attnlab.notebook import explain_names

if TYPE_CHECKING:  # what `__getattr__` below finds, for type checkers and editors
    from attnlab.attention import MultiHeadAttention as MultiHeadAttention
    from attnlab.attention import banded_attention as banded_attention
    from attnlab.attention import causal_mask as causal_mask
    from attnlab.attention import masked_softmax as masked_softmax
    from attnlab.attention import padding_mask as padding_mask
    from attnlab.attention import (
        scaled_dot_product_attention as scaled_dot_product_attention,
    )
    from attnlab.attention import window_mask as window_mask
    from attnlab.claims import claim as claim
    from attnlab.data import Batch as Batch
    from attnlab.data import NumberPairs as NumberPairs
    from attnlab.data import Vocabulary as Vocabulary
    from attnlab.data import batches as batches
    from attnlab.data import collate as collate
    from attnlab.decoder_only import DecoderOnly as DecoderOnly
    from attnlab.decoding import beam_search as beam_search
    from attnlab.decoding import greedy as greedy
    from attnlab.exercises.checking import answer_to as answer_to
    from attnlab.exercises.checking import check as check
    from attnlab.figures.alignment import plot_alignment as plot_alignment
    from attnlab.grouped import GroupedQueryAttention as GroupedQueryAttention
    from attnlab.layers import DecoderLayer as DecoderLayer
    from attnlab.layers import EncoderLayer as EncoderLayer
    from attnlab.positions import AlibiPositions as AlibiPositions
    from attnlab.positions import RotaryPositions as RotaryPositions
    from attnlab.positions import shift_matrix as shift_matrix
    from attnlab.positions import sinusoidal as sinusoidal
    from attnlab.pretrained import SentenceEncoder as SentenceEncoder
    from attnlab.recurrent import Seq2Seq as Seq2Seq
    from attnlab.sampling import sample as sample
    from attnlab.saved import load as load
    from attnlab.saved import save as save
    from attnlab.scores import AdditiveScore as AdditiveScore
    from attnlab.scores import CosineScore as CosineScore
    from attnlab.scores import DotScore as DotScore
    from attnlab.scores import GeneralScore as GeneralScore
    from attnlab.scores import LocationScore as LocationScore
    from attnlab.scores import ScaledDotScore as ScaledDotScore
    from attnlab.source import show_source as show_source
    from attnlab.tagger import Tagger as Tagger
    from attnlab.tokens import BOS as BOS
    from attnlab.tokens import EOS as EOS
    from attnlab.tokens import PAD as PAD
    from attnlab.training import exact_match as exact_match
    from attnlab.training import set_seed as set_seed
    from attnlab.training import train as train
    from attnlab.transformer import Transformer as Transformer

explain_names()

# Where each name of `from attnlab import …` is defined. They load when asked
# for, so that `import attnlab` itself pulls in neither torch nor anything that draws.
_HOMES = {
    name: f"attnlab.{module}"
    for module, names in {
        "attention": (
            "MultiHeadAttention banded_attention causal_mask masked_softmax "
            "padding_mask scaled_dot_product_attention window_mask"
        ),
        "claims": "claim",
        "data": "Batch NumberPairs Vocabulary batches collate",
        "decoder_only": "DecoderOnly",
        "decoding": "beam_search greedy",
        "exercises.checking": "answer_to check",
        "figures.alignment": "plot_alignment",
        "grouped": "GroupedQueryAttention",
        "layers": "DecoderLayer EncoderLayer",
        "positions": "AlibiPositions RotaryPositions shift_matrix sinusoidal",
        "pretrained": "SentenceEncoder",
        "recurrent": "Seq2Seq",
        "sampling": "sample",
        "saved": "load save",
        "scores": (
            "AdditiveScore CosineScore DotScore GeneralScore "
            "LocationScore ScaledDotScore"
        ),
        "source": "show_source",
        "tagger": "Tagger",
        "tokens": "BOS EOS PAD",
        "training": "exact_match set_seed train",
        "transformer": "Transformer",
    }.items()
    for name in names.split()
}

__all__ = ["device", *_HOMES]


def __getattr__(name: str) -> object:
    """Import `name` on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'attnlab' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))

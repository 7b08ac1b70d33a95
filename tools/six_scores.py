"""One number translated by all models of the figure of six scores, by PyTorch.

    python -m tools.six_scores        # writes live/weights/six-scores.json

The page holds it, so that the figure shows something true before models are loaded.
"""

import argparse
import json
from pathlib import Path

import torch

from attnlab.data import BOS, EOS, number_tokens
from attnlab.decoding import greedy
from attnlab.live.scores import SCORES, SEEDS, STORED, weights_name
from attnlab.recurrent import Seq2Seq
from attnlab.saved import load_weights, path_of

NUMBER = 2_487  # has both of German's habits: units before tens, and an "und"
DECIMALS = 3  # of a weight; of an error rate, which is shown with two, six
MAX_LENGTH = 60  # words, as in the figure


def all_translations(number: int) -> dict:
    """Return what `attnlab.live.scores.stored_scores` describes, for this number.

    Raises:
        TypeError, ValueError: a number that nobody can spell.
    """
    sizes = [path_of(weights_name(score, SEEDS[0])).stat().st_size for score in SCORES]
    tests: dict[str, list[float]] = {}
    pictures: dict[str, list[dict]] = {}
    for score in SCORES:
        models = [load_weights(weights_name(score, seed)) for seed in SEEDS]
        rates = [about["alignment_error_rate"] for _, about in models]
        tests[score] = [round(rate, 6) for rate in rates]
        pictures[score] = [_translation(*model, number) for model in models]
    return {
        "number": number,
        # The page loads them as base64, four letters for three bytes.
        "megabytes": round(sum(sizes) * 4 / 3e6, 1),
        "tests": tests,
        "pictures": pictures,
    }


@torch.no_grad()
def _translation(model: Seq2Seq, about: dict, number: int) -> dict:
    source = [about["src_tokens"].index(word) for word in number_tokens(number, "en")]
    src = torch.tensor([[*source, EOS]])
    written = [t for t in greedy(model, src, MAX_LENGTH)[0].tolist() if t != EOS]
    weights = model.attention(src, torch.tensor([[BOS, *written]]))[0]
    return {
        "words": [about["tgt_tokens"][token] for token in written],
        "weights": [
            [round(weight, DECIMALS) for weight in row]
            for row in weights[: len(written)].tolist()
        ],
    }


def main(path: Path = STORED) -> None:
    """Translate the figure's first number and store that, beside the weights."""
    text = json.dumps(all_translations(NUMBER), ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")
    print(f"{NUMBER}, {len(text) // 1000} kB")


if __name__ == "__main__":
    argparse.ArgumentParser(description=main.__doc__).parse_args()  # answers --help
    main()

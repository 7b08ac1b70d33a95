"""A sentence encoder so small that a test can make it, of number words."""

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from attnlab.pretrained import SentenceEncoder

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "one", "two", "hundred", "and"]
SENTENCES = ["one hundred and two", "two", "", "two thousand hundred"]


def make_small_encoder(**sizes):
    """A new encoder of number words, with the same kinds of parts."""
    ids = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    torch.manual_seed(0)
    sizes = {"d_model": 8, "num_heads": 2, "num_layers": 2, "d_ff": 12} | sizes
    return SentenceEncoder(tokenizer, max_length=16, **sizes).eval()

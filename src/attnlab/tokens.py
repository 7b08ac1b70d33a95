"""The ids that every vocabulary shares: padding, begin and end of a sequence."""

PAD, BOS, EOS = 0, 1, 2

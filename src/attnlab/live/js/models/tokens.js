// Ids of tokens that are no words, as in attnlab/data.

export const PAD = 0;
export const BOS = 1;
export const EOS = 2;
export const UNK = 3; // ids 0 to 3 are padding, begin, end, and what is unknown

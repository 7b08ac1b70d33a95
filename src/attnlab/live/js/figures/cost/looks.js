// How each layer is drawn, and what it is called.

import { drawnMark } from "../../parts/marks.js";

const look = (hue, mark, dash, name, short = name) => ({ hue, mark, dash, name, short });
const inAttention = (...rest) => look("attention", ...rest);
const inRecurrence = (...rest) => look("recurrence", ...rest);
const inConvolution = (...rest) => look("convolution", ...rest);

// Hue, mark, dash, and the name, in full and short. The hue tells the family; dash and mark
// tell the layer, and so does its name at the end of the curve.
export const COST_LOOKS = {
  attention: inAttention("circle", "", "self-attention", "self-att."),
  attention_fused: inAttention("diamond", "9 4", "fused self-attention", "fused att."),
  multi_head: inAttention("square", "12 3 2 3", "multi-head attention", "multi-head"),
  banded: look("restricted", "triangle", "2 4", "restricted attention", "restricted"),
  additive: inAttention("cross", "6 3 1 3 1 3", "additive attention", "additive"),
  rnn: inRecurrence("triangle", "2 4", "stepwise RNN", "step RNN"),
  gru: inRecurrence("square", "12 3 2 3", "stepwise GRU", "step GRU"),
  lstm: inRecurrence("cross", "6 3 1 3 1 3", "stepwise LSTM", "step LSTM"),
  rnn_fused: inRecurrence("diamond", "9 4", "RNN"),
  gru_fused: inRecurrence("circle", "", "GRU"),
  lstm_fused: inRecurrence("wedge", "16 4", "LSTM"),
  convolution: inConvolution("circle", "", "convolution", "convol."),
  dilated: inConvolution("diamond", "9 4", "dilated stack", "dilated"),
  separable: inConvolution("triangle", "2 4", "separable convolution", "separable"),
};

/** A layer's mark, of the class `name`. */
export function costMark(layer, x, y, name) {
  return drawnMark(COST_LOOKS[layer].mark, x, y, name);
}

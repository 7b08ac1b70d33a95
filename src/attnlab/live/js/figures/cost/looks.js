// How each layer is drawn, and what it is called.

import { drawnMark } from "../../parts/marks.js";

const style = (hue, mark, dash, name, short = name) => ({ hue, mark, dash, name, short });
const attentionStyle = (...rest) => style("attention", ...rest);
const recurrenceStyle = (...rest) => style("recurrence", ...rest);
const convolutionStyle = (...rest) => style("convolution", ...rest);

// Hue, mark, dash, and the name, in full and short. The hue tells the family; dash and mark
// tell the layer, and so does its name at the end of the curve.
export const COST_STYLES = {
  attention: attentionStyle("circle", "", "self-attention", "self-att."),
  attention_fused: attentionStyle("diamond", "9 4", "fused self-attention", "fused att."),
  multi_head: attentionStyle("square", "12 3 2 3", "multi-head attention", "multi-head"),
  banded: style("restricted", "triangle", "2 4", "restricted attention", "restricted"),
  additive: attentionStyle("cross", "6 3 1 3 1 3", "additive attention", "additive"),
  rnn: recurrenceStyle("triangle", "2 4", "stepwise RNN", "step RNN"),
  gru: recurrenceStyle("square", "12 3 2 3", "stepwise GRU", "step GRU"),
  lstm: recurrenceStyle("cross", "6 3 1 3 1 3", "stepwise LSTM", "step LSTM"),
  rnn_fused: recurrenceStyle("diamond", "9 4", "RNN"),
  gru_fused: recurrenceStyle("circle", "", "GRU"),
  lstm_fused: recurrenceStyle("wedge", "16 4", "LSTM"),
  convolution: convolutionStyle("circle", "", "convolution", "convol."),
  dilated: convolutionStyle("diamond", "9 4", "dilated stack", "dilated"),
  separable: convolutionStyle("triangle", "2 4", "separable convolution", "separable"),
};

/** A layer's mark, of the class `name`. */
export function costMark(layer, x, y, name) {
  return drawnMark(COST_STYLES[layer].mark, x, y, name);
}

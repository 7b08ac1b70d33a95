// How each layer is drawn, and what it is called: hue, mark, name, and the name in
// the picture.

const look = (hue, mark, name, short = name) => ({ hue, mark, name, short });

export const ROOF_LOOKS = {
  attention: look("attention", "circle", "attention written out", "written out"),
  attention_fused: look("attention", "diamond", "fused attention", "fused"),
  gru: look("recurrence", "square", "GRU, a loop"),
  lstm: look("recurrence", "cross", "LSTM, a loop"),
  convolution: look("convolution", "wedge", "convolution"),
  feed_forward: look("feedforward", "triangle", "feed-forward"),
};

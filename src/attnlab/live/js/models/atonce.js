// Long work is a generator, which pauses with `yield`: a page goes on with it piece by piece
// (`inPieces`), and who needs no pauses takes it at once.

/** Goes through a generator without a pause; returns what it returns. */
export function runToEnd(work) {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
}

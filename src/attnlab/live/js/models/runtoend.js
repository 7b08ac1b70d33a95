// Long work is a generator, which pauses with `yield`: a page runs it in short slices
// (`timeSliced`), and a caller that needs no pauses runs it to its end.

/** Run a generator without pauses and return what it returns. */
export function runToEnd(work) {
  for (;;) {
    const { value, done } = work.next();
    if (done) return value;
  }
}

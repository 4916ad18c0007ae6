/** Call `act` at once, then at most every `every` ms; calls in between become a single one at the end. */
export function throttled(act: () => void, every: number): () => void {
  let paused = false;
  let callAgain = false;
  const call = () => {
    if (paused) {
      callAgain = true;
      return;
    }
    paused = true;
    act();
    setTimeout(() => {
      paused = false;
      if (callAgain) {
        callAgain = false;
        call();
      }
    }, every);
  };
  return call;
}

/** Calls `act` at once, then at most every `every` ms; calls in between are made up for by one at the end. */
export function throttled(act: () => void, every: number): () => void {
  let resting = false;
  let asked = false;
  const call = () => {
    if (resting) {
      asked = true;
      return;
    }
    resting = true;
    act();
    setTimeout(() => {
      resting = false;
      if (asked) {
        asked = false;
        call();
      }
    }, every);
  };
  return call;
}

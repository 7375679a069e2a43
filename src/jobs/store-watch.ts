import type { Store } from "../ports/store/index.ts";

const LOOK_MS = 1_000;

/**
 * Asks the store every second whether it can be written, so that an outage is told when it begins and when it ends, even where
 * nobody writes meanwhile.
 *
 * @param tell.unavailable  receives why it cannot, at every look
 * @returns ends the watch
 */
export function watchStore(
  store: Store,
  tell: { available: () => void; unavailable: (error: unknown) => void },
): () => void {
  let ended = false;
  let timer: NodeJS.Timeout;
  const look = async () => {
    const found = await store.ping().then(
      ({ unwritable }) => unwritable,
      (error: unknown) => error,
    );
    if (ended) return;
    if (found === null) tell.available();
    else tell.unavailable(found);
    later();
  };
  const later = () => {
    timer = setTimeout(() => void look(), LOOK_MS);
    timer.unref();
  };
  later();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

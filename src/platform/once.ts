/** Gives a function that calls `make` at its own first call, and afterwards gives what that gave. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

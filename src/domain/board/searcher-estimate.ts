/** Every caller falls into one of these buckets. Four billion addresses share them, so a bucket identifies nobody. */
const BUCKETS = 1024;
/** Prefix of the counters: `seeker:417` on a day means that somebody in bucket 417 searched that day. */
export const SEEKER = "seeker:";

/** Estimates how many callers searched over any number of days, from the buckets they fell into. */
export class SearcherEstimate {
  readonly #tag: (caller: string) => string;
  #day = "";
  readonly #noted = new Set<string>();

  /** @param tag  a keyed hash of a text, as `Secrets.addressTag` makes it */
  constructor(tag: (caller: string) => string) {
    this.#tag = tag;
  }

  /** The counter to raise for this caller, or null when its bucket is already noted for the day. */
  seen(caller: string, day: string): string | null {
    if (day !== this.#day) {
      this.#day = day;
      this.#noted.clear();
    }
    const bits = Buffer.from(this.#tag(`seeker ${caller}`), "base64url").readUInt16BE(0);
    const name = `${SEEKER}${bits % BUCKETS}`;
    if (this.#noted.has(name)) return null;
    this.#noted.add(name);
    return name;
  }
}

/**
 * Distinct callers behind a number of buckets, by linear counting (Whang, Vander-Zanden and Taylor, "A linear-time
 * probabilistic counting algorithm", TODS 1990). Exact for a few, within 3 % up to 2,000; never above about 7,000.
 */
export function callersBehind(buckets: number): number {
  const empty = Math.max(1, BUCKETS - buckets);
  return Math.round(BUCKETS * Math.log(BUCKETS / empty));
}

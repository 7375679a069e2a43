import type { IndexedPost } from "../../../bench/support/index-under-test.ts";
import { pick, seeded } from "../../../bench/support/random.ts";
import { DAY_MS } from "../../../src/platform/time.ts";
import type { IndexEntry } from "../../../src/ports/search-index.ts";
import { KINDS } from "../../../src/schema/post.ts";
import type { StandaloneIndex } from "../../../src/search/index/standalone.ts";
import { MODEL, vectorOf } from "./open-index.ts";
import { anEntry, T0 as NOW } from "./rows.ts";

/** What a history writes to: an index, or its tables. */
export type Writer = Pick<
  StandaloneIndex,
  "put" | "remove" | "putVector" | "putPublisher" | "removePublisher"
>;

const PUBLISHERS = 20;
/** The status of a new publisher. */
const NOBODY = { verified: false, suspended: false };
const CITIES = [
  { placeName: "Amsterdam", lat: 52.37, lng: 4.9 },
  { placeName: "Rotterdam", lat: 51.92, lng: 4.48 },
  { placeName: "Suva", lat: -18.14, lng: 178.44 },
  { placeName: "Taveuni", lat: -16.8, lng: -179.98 },
] as const;

/** Syllables make words that the English stemmer cuts as it cuts others. */
const SYLLABLES = ["ba", "ker", "lo", "tion", "mi", "sing", "ra", "ted", "vu", "nes", "po", "ly"];

/** A word by its rank in the vocabulary: a low rank is met often. */
export const wordAt = (rank: number): string => {
  let word = "";
  for (let rest = rank + 12; rest > 0; rest = Math.floor(rest / 12)) word += SYLLABLES[rest % 12];
  return word;
};

/** A random history of posts and publishers, the same at every run with the same seed. */
export class History {
  /** All posts that are there now. */
  readonly posts = new Map<string, IndexEntry>();
  readonly #vectors = new Map<string, Int8Array | null>();
  readonly #suspended = new Set<string>();
  readonly #random: () => number;
  readonly #publishers = Array.from({ length: PUBLISHERS }, (_, n) => `pub_${n}`);
  #joined = PUBLISHERS;
  #count = 0;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  /** The posts that are there now with their vectors, and whether the publisher of each is free. */
  indexed(): (IndexedPost & { isSeen: boolean })[] {
    return [...this.posts.values()].map((entry) => ({
      entry,
      vector: this.#vectors.get(entry.id) ?? null,
      isSeen: !this.#suspended.has(entry.publisherId),
    }));
  }

  /** Adds posts, most with a vector; before the first, their publishers. */
  grow(writer: Writer, count: number): void {
    if (this.#count === 0) for (const id of this.#publishers) writer.putPublisher(id, NOBODY);
    for (let i = 0; i < count; i += 1) this.#add(writer);
  }

  /** Makes as many random changes of every kind. */
  go(writer: Writer, steps: number): void {
    for (let i = 0; i < steps; i += 1) this.#step(writer);
  }

  /** Removes a share of all posts. */
  thin(writer: Writer, share: number): void {
    for (const id of [...this.posts.keys()]) if (this.#random() < share) this.#remove(writer, id);
  }

  #step(writer: Writer): void {
    const dice = this.#below(100);
    const id = this.#anyId();
    const known = id === undefined ? undefined : this.posts.get(id);
    if (known === undefined || dice < 25) this.#add(writer);
    else if (dice < 40)
      this.#put(writer, { ...known, title: this.#text(4), body: `${this.#text(20)} and the` });
    else if (dice < 46) this.#put(writer, { ...known, tags: this.#tags() });
    else if (dice < 52) this.#put(writer, { ...known, ...this.#window(known.createdAt) });
    else if (dice < 57) this.#put(writer, { ...known, ...this.#place() });
    else if (dice < 61) this.#put(writer, { ...known, publisherId: this.#pick(this.#publishers) });
    else if (dice < 65) this.#put(writer, { ...known, kind: this.#pick(KINDS) });
    else if (dice < 75) this.#remove(writer, known.id);
    else if (dice < 78) {
      this.#remove(writer, known.id);
      this.#put(writer, { ...known, title: this.#text(4) });
    } else if (dice < 90) this.#mean(writer, known.id);
    else if (dice < 95) {
      this.#vectors.delete(known.id);
      writer.putVector(known.id, null, null);
    } else this.#judge(writer);
  }

  /** Publishers are verified, suspended, freed or removed; four in five are not suspended. */
  #judge(writer: Writer): void {
    const id = this.#pick(this.#publishers);
    const suspended = this.#below(5) === 0;
    if (this.#below(40) === 0) this.#erase(writer, id);
    else {
      if (suspended) this.#suspended.add(id);
      else this.#suspended.delete(id);
      writer.putPublisher(id, { verified: this.#below(2) === 0, suspended });
    }
  }

  /** A publisher goes after its posts, and its id never returns. */
  #erase(writer: Writer, publisherId: string): void {
    for (const post of [...this.posts.values()]) {
      if (post.publisherId === publisherId) this.#remove(writer, post.id);
    }
    writer.removePublisher(publisherId);
    const next = `pub_${this.#joined}`;
    writer.putPublisher(next, NOBODY);
    this.#publishers[this.#publishers.indexOf(publisherId)] = next;
    this.#joined += 1;
  }

  #add(writer: Writer): void {
    const id = `p${String(this.#count).padStart(6, "0")}`;
    this.#count += 1;
    const createdAt = NOW - this.#below(5_000) * 1_000;
    this.#put(
      writer,
      anEntry({
        id,
        kind: this.#pick(KINDS),
        title: this.#text(4),
        // English, which has no compounds: FTS5 knows none.
        body: `${this.#text(5 + this.#below(40))} and the`,
        tags: this.#tags(),
        ...this.#place(),
        ...this.#window(createdAt),
        createdAt,
        publisherId: this.#pick(this.#publishers),
        parentId: this.#below(10) === 0 ? "p000000" : null,
        syndicated: this.#below(10) === 0,
      }),
    );
    if (this.#below(8) > 0) this.#mean(writer, id);
  }

  #mean(writer: Writer, id: string): void {
    const vector = vectorOf(this.#below(100_000));
    this.#vectors.set(id, vector);
    writer.putVector(id, MODEL, vector);
  }

  #put(writer: Writer, entry: IndexEntry): void {
    this.posts.set(entry.id, entry);
    writer.put(entry);
  }

  #remove(writer: Writer, id: string): void {
    this.posts.delete(id);
    this.#vectors.delete(id);
    writer.remove(id);
  }

  #anyId(): string | undefined {
    // Posts are numbered, so one can be drawn without a list of all.
    for (let i = 0; i < 20; i += 1) {
      const id = `p${String(this.#below(this.#count)).padStart(6, "0")}`;
      if (this.posts.has(id)) return id;
    }
    return undefined;
  }

  /** A word is as frequent as its rank is low, as in a real text. */
  #text(words: number): string {
    const one = () => wordAt(Math.floor(4_000 ** this.#random()) - 1);
    return Array.from({ length: words }, one).join(" ");
  }

  #tags(): string[] {
    return [this.#pick(["a", "b", "c"]), `t${this.#below(300)}`];
  }

  #place(): Pick<IndexEntry, "placeName" | "lat" | "lng"> {
    if (this.#below(3) === 0) return { placeName: null, lat: null, lng: null };
    const { placeName, lat, lng } = this.#pick(CITIES);
    // Some are across the line where longitudes begin again.
    const east = lng + this.#random() - 0.5;
    return { placeName, lat: lat + this.#random() - 0.5, lng: east > 180 ? east - 360 : east };
  }

  #window(createdAt: number): Pick<IndexEntry, "windowStart" | "windowEnd" | "expiresAt"> {
    const windowStart = this.#below(2) === 0 ? createdAt : NOW + (this.#below(400) - 100) * 3_600_000;
    const windowEnd = windowStart + this.#below(5) * DAY_MS;
    return { windowStart, windowEnd, expiresAt: NOW + (this.#below(40) - 5) * DAY_MS };
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #pick<T>(list: readonly T[]): T {
    return pick(this.#random, list);
  }
}

import type { IndexEntry } from "../../src/ports/search-index.ts";
import { KINDS } from "../../src/schema/post.ts";
import type { IndexedPost } from "../support/index-under-test.ts";
import { seeded, weightedPlaces } from "../support/random.ts";
import { CITIES } from "./cities.ts";
import type { Texts } from "./texts.ts";
import type { PostVectors } from "./vectors.ts";
import { vocabulary } from "./vocabulary.ts";

const DAY_MS = 86_400_000;
export const PUBLISHERS = 2_000;
/** Posts lie within a third of a degree of one of these, the largest of the world. */
export const PLACES = [...CITIES].sort((a, b) => b.population - a.population).slice(0, 200);
const place = weightedPlaces(PLACES.map((_, rank) => 1 / (rank + 5)));
/** Words as frequent as subjects are in text. */
const TAGS = vocabulary()
  .words.filter(({ word }) => word.length > 4)
  .slice(100, 500)
  .map(({ word }) => word);

export const publisherIdOf = (n: number) => `pub_${String(n).padStart(14, "0")}`;
export const isVerified = (id: string) => Number(id.slice(-2)) < 30;

/** Multiples of a number modulo a prime make ids of the board's length, all different, in no order. */
const idOf = (n: number) => `p_${String((n * 48_271) % 999_999_937).padStart(9, "0")}`;

/** Describes a board of any size, always the same. The first posts of a larger one differ only in the time of their creation. */
export interface BoardPosts {
  count: number;
  texts: Texts;
  vectors: PostVectors;
  /** The last post was created then, in epoch milliseconds. */
  now: number;
}

/**
 * Makes posts of sixty days, oldest first: five kinds, 1 to 4 sentences, up to four of 400 tags, four in five at a place,
 * every event and a fifth of the others with dates, about a tenth expired, half syndicated, by publishers of which few
 * write most.
 */
export function* boardPosts({ count, texts, vectors, now }: BoardPosts): Generator<IndexedPost> {
  const random = seeded(1);
  const ofVectors = seeded(2);
  const skewed = (length: number, by: number) => Math.floor(random() ** by * length);
  for (let n = 0; n < count; n += 1) {
    const kind = KINDS[skewed(KINDS.length, 1.3)] ?? "event";
    const city = random() < 0.8 ? PLACES[place(random)] : undefined;
    const title = texts.title(random);
    const body = Array.from({ length: 1 + skewed(4, 1) }, () => texts.sentence(random)).join(" ");
    const tags = Array.from({ length: skewed(5, 1) }, () => TAGS[skewed(TAGS.length, 2)] ?? "");
    const createdAt = now - Math.floor(((count - n) / count) * 60 * DAY_MS);
    const starts = now + Math.floor((random() * 120 - 30) * DAY_MS);
    const ends = starts + Math.floor(random() * 3 * DAY_MS);
    const dated = random() < 0.2 || kind === "event";
    const expiresAt = now + Math.floor((random() * 60 - 6) * DAY_MS);
    const [lng = 0, lat = 0] = city?.loc.coordinates ?? [];
    const entry: IndexEntry = {
      id: idOf(n),
      kind,
      title,
      body,
      tags: [...new Set(tags)],
      placeName: city?.name ?? null,
      lat: city === undefined ? null : lat + (random() - 0.5) * 0.6,
      lng: city === undefined ? null : lng + (random() - 0.5) * 0.6,
      windowStart: dated ? starts : createdAt,
      windowEnd: dated ? ends : Math.max(createdAt, expiresAt),
      expiresAt,
      createdAt,
      publisherId: publisherIdOf(skewed(PUBLISHERS, 2)),
      parentId: null,
      syndicated: random() < 0.5,
      source: null,
      series: null,
    };
    yield { entry, vector: vectors.draw(ofVectors) };
  }
}

/** Gives the same list in pieces. */
export function* inBatches<T>(list: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const one of list) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The first of a list; the others stay in it. */
export function* firstOf<T>(list: Iterator<T>, count: number): Generator<T> {
  for (let n = 0; n < count; n += 1) {
    const next = list.next();
    if (next.done === true) return;
    yield next.value;
  }
}

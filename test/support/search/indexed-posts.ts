import fc from "fast-check";
import { seeded } from "../../../bench/support/random.ts";
import { DAY_MS } from "../../../src/platform/time.ts";
import type { StoredPost } from "../../../src/ports/store/index.ts";
import type { PostFilter } from "../../../src/schema/filter.ts";
import { KINDS } from "../../../src/schema/post.ts";
import { quantize } from "../../../src/search/ranking/vectors.ts";
import { aPost, T0 } from "./rows.ts";

export { MODEL } from "./open-index.ts";

export const DIMENSION = 128;

const WORDS = ["bike", "cello", "piano", "garden", "repair", "lesson", "tent", "market", "swap", "music"];
const PLACES: readonly NonNullable<StoredPost["location"]>[] = [
  { name: "Amsterdam", lat: 52.37, lng: 4.9 },
  { name: "Rotterdam", lat: 51.92, lng: 4.48 },
  { name: "Suva", lat: -18.14, lng: 178.44 },
  { name: "somewhere", lat: null, lng: null },
];

/** Publishers `pub_0` … `pub_3`: of these, 1 and 2 are verified, and 2 is suspended. */
export const PUBLISHERS = ["pub_0", "pub_1", "pub_2", "pub_3"] as const;

/** Different posts, the same in every run. All but every seventh have a vector from `vectorAt`. */
export function manyPosts(count: number): StoredPost[] {
  const next = below(seeded(20_261_120));
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  return Array.from({ length: count }, (_, i) => {
    const startsAt = next(2) === 0 ? T0 + (next(40) - 20) * DAY_MS : null;
    return aPost(`post${String(i).padStart(5, "0")}`, {
      publisherId: pick(PUBLISHERS),
      kind: pick(KINDS),
      title: `${pick(WORDS)} ${pick(WORDS)}`,
      body: Array.from({ length: 3 + next(20) }, () => pick(WORDS)).join(" "),
      tags: [pick(["a", "b", "c"]), `t${next(9)}`],
      location: next(3) === 0 ? null : pick(PLACES),
      startsAt,
      endsAt: startsAt === null || next(2) === 0 ? null : startsAt + next(5) * DAY_MS,
      expiresAt: T0 + (next(40) - 10) * DAY_MS,
      parentId: next(6) === 0 ? "post00000" : null,
      syndicated: next(5) === 0,
      // Twenty pages, of which some have several days.
      sourceUrl: i % 3 === 0 ? `https://example.org/${i % 60}` : null,
      // Several in the same millisecond.
      createdAt: T0 - next(200) * 1_000,
      updatedAt: T0,
    });
  });
}

/** Vectors of a few directions with some noise, like those of texts on a few subjects; of length 1, as `quantize` writes them. */
export function vectorAt(i: number): Int8Array | null {
  if (i % 7 === 3) return null;
  const next = below(seeded(i));
  const direction = below(seeded((i % 12) + 1_000_000));
  const raw = Float32Array.from({ length: DIMENSION }, () => direction(180) - 90 + next(60) - 30);
  const length = Math.hypot(...raw);
  return quantize(raw.map((x) => x / length));
}

const time = fc.integer({ min: -20, max: 20 }).map((days) => T0 + days * DAY_MS);

/** Any filter that a search may have. */
export const anyFilter: fc.Arbitrary<PostFilter> = fc.record({
  kinds: fc.option(fc.uniqueArray(fc.constantFrom(...KINDS), { minLength: 1 }), { nil: null }),
  tags: fc.option(fc.uniqueArray(fc.constantFrom("a", "t3", "nowhere"), { minLength: 1 }), {
    nil: null,
    freq: 2,
  }),
  near: fc.option(
    fc.record({
      lat: fc.constantFrom(52.37, 51.92, -18.14, 0),
      lng: fc.constantFrom(4.9, 4.48, -179, 178.44),
      radiusKm: fc.constantFrom(1, 57, 60, 500, 9_000),
    }),
    { nil: null, freq: 2 },
  ),
  after: fc.option(time, { nil: null, freq: 2 }),
  before: fc.option(time, { nil: null, freq: 2 }),
  verifiedOnly: fc.boolean(),
  publisherId: fc.option(fc.constantFrom("pub_1", "pub_2", "pub_9"), { nil: null, freq: 5 }),
  parentId: fc.option(fc.constantFrom("post00000", "post00009"), { nil: null, freq: 5 }),
  includeReplies: fc.boolean(),
  includeExpired: fc.boolean(),
  includeSyndicated: fc.boolean(),
  datedOnly: fc.boolean(),
  now: fc.constant(T0),
  createdUntil: fc.oneof(fc.constant(T0 + 100 * DAY_MS), fc.constant(T0 - 100_000)),
});

const below = (random: () => number) => (n: number) => Math.floor(random() * n);

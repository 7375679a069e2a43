import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IndexEntry, Spot } from "../../src/ports/search-index.ts";
import type { PostFilter } from "../../src/schema/filter.ts";
import { KINDS } from "../../src/schema/post.ts";
import { distanceKm } from "../../src/search/distance.ts";
import { DAY_MS, NOW, post, question, useIndexFile } from "../support/search/embedded-index.ts";

const openIndex = useIndexFile();

const coordinate = fc.option(
  fc.record({
    lat: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(90, -90, 89.9, 52.5)),
    lng: fc.oneof(
      fc.double({ min: -180, max: 180, noNaN: true }),
      fc.constantFrom(180, -180, 179.9, -179.9, 13.4),
    ),
  }),
  { nil: null },
);
const time = fc.integer({ min: -20, max: 20 }).map((days) => NOW + days * DAY_MS);
const entry = fc.record({
  kind: fc.constantFrom(...KINDS),
  tags: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 }),
  place: coordinate,
  windowStart: time,
  length: fc.integer({ min: 0, max: 10 }),
  expiresAt: time,
  createdAt: time,
  publisherId: fc.constantFrom("pub_1", "pub_2", "pub_3", "pub_4"),
  parentId: fc.option(fc.constantFrom("p0", "p1"), { nil: null, freq: 3 }),
  syndicated: fc.boolean(),
});
const filter = fc.record({
  kinds: fc.option(fc.uniqueArray(fc.constantFrom(...KINDS), { minLength: 1 }), { nil: null }),
  tags: fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "nowhere"), { minLength: 1 }), {
    nil: null,
    freq: 2,
  }),
  near: fc.option(
    fc.record({
      lat: fc.constantFrom(52.5, 90, -90, 0, 89.8),
      lng: fc.constantFrom(13.4, 180, -180, 179.95, 0),
      radiusKm: fc.constantFrom(0.1, 25, 500, 9000),
    }),
    { nil: null, freq: 2 },
  ),
  after: fc.option(time, { nil: null, freq: 2 }),
  before: fc.option(time, { nil: null, freq: 2 }),
  verifiedOnly: fc.boolean(),
  publisherId: fc.option(fc.constantFrom("pub_1", "pub_9"), { nil: null, freq: 5 }),
  parentId: fc.option(fc.constantFrom("p0", "p9"), { nil: null, freq: 5 }),
  includeReplies: fc.boolean(),
  includeExpired: fc.boolean(),
  includeSyndicated: fc.boolean(),
  now: time,
  createdUntil: fc.oneof(fc.constant(NOW + 100 * DAY_MS), time),
});

describe("filters", () => {
  it("let through exactly what a plain reading of them does, in both orders and from every place", async () => {
    const opened = openIndex();
    let written = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 60 }),
        fc.array(filter, { minLength: 1, maxLength: 8 }),
        async (drafts, filters) => {
          const entries = drafts.map(({ place, length, ...rest }, i) =>
            post({
              ...rest,
              id: `p${i}`,
              lat: place?.lat ?? null,
              lng: place?.lng ?? null,
              windowEnd: rest.windowStart + length * DAY_MS,
            }),
          );
          opened.write((index) => {
            // The others change in place.
            for (let i = 0; i < written; i += 1)
              if (i % 3 === 0 || i >= entries.length) index.remove(`p${i}`);
            for (const one of entries) index.put(one);
            index.putPublisher("pub_1", { verified: true, suspended: false });
            index.putPublisher("pub_2", { verified: true, suspended: true });
            index.putPublisher("pub_3", { verified: false, suspended: false });
          });
          written = entries.length;
          for (const one of filters) {
            const expected = entries.filter((candidate) => passes(candidate, one));
            const all = question({ filter: one });
            expect(await opened.index.count(all)).toBe(expected.length);
            const spots = await opened.index.spots(all, 100);
            expect(spots.map(squareOf).sort()).toEqual(squaresOf(expected));
            expect(spots.map(({ count }) => count)).toEqual(
              spots.map(({ count }) => count).sort((a, b) => b - a),
            );
            expect(await opened.index.spots(all, 2)).toEqual(spots.slice(0, 2));
            const byId = (a: string, b: string) => (a < b ? -1 : 1);
            const newest = expected.toSorted((a, b) => b.createdAt - a.createdAt || byId(b.id, a.id));
            const soonest = expected.toSorted((a, b) => a.windowStart - b.windowStart || byId(a.id, b.id));
            for (const [order, list] of [
              ["newest", newest],
              ["soonest", soonest],
            ] as const) {
              const walked: string[] = [];
              for (let after = null as { at: number; id: string } | null; ; ) {
                const places = await opened.index.list(all, { order, after, limit: 7 });
                walked.push(...places.map(({ id }) => id));
                after = places.at(-1) ?? null;
                if (places.length < 7) break;
              }
              expect(walked).toEqual(list.map(({ id }) => id));
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("count a place within a centimetre of a square's side in the square that it is said to lie in", async () => {
    const opened = openIndex();
    const places = [0, -5e-324].map((lng, i) => post({ id: `p${i}`, lat: 0, lng }));
    opened.write((index) => {
      for (const one of places) index.put(one);
    });
    expect((await opened.index.spots(question({}), 10)).map(({ count }) => count)).toEqual([2]);
  });
});

const squareOf = ({ lat, lng, count }: Spot) =>
  `${Math.floor(toCentimetre(lat) * 10)} ${Math.floor(toCentimetre(lng) * 10)} ${count}`;
const toCentimetre = (degrees: number) => Math.round(degrees * 1e7) / 1e7;

/** The squares of a tenth of a degree that posts are in, each with its number of posts. */
function squaresOf(posts: readonly IndexEntry[]): string[] {
  const counts = new Map<string, number>();
  for (const { lat, lng } of posts) {
    if (lat === null || lng === null) continue;
    const square = squareOf({ lat, lng, count: 0 }).slice(0, -2);
    counts.set(square, (counts.get(square) ?? 0) + 1);
  }
  return [...counts].map(([square, count]) => `${square} ${count}`).sort();
}

/** What the documentation of `PostFilter` says, word for word. */
function passes(candidate: IndexEntry, one: PostFilter): boolean {
  const { lat, lng } = candidate;
  if (candidate.publisherId === "pub_2") return false;
  if (one.kinds !== null && !one.kinds.includes(candidate.kind)) return false;
  if (one.tags !== null && !one.tags.some((tag) => candidate.tags.includes(tag))) return false;
  if (one.near !== null && (lat === null || lng === null)) return false;
  if (one.near !== null && distanceKm(one.near, { lat: lat ?? 0, lng: lng ?? 0 }) > one.near.radiusKm)
    return false;
  if (one.after !== null && candidate.windowEnd < one.after) return false;
  if (one.before !== null && candidate.windowStart > one.before) return false;
  if (one.verifiedOnly && candidate.publisherId !== "pub_1") return false;
  if (one.publisherId !== null && candidate.publisherId !== one.publisherId) return false;
  if (
    one.parentId !== null
      ? candidate.parentId !== one.parentId
      : candidate.parentId !== null && !one.includeReplies
  )
    return false;
  if (!one.includeExpired && candidate.expiresAt <= one.now) return false;
  if (!one.includeSyndicated && candidate.syndicated) return false;
  return candidate.createdAt <= one.createdUntil;
}

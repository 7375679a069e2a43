import { describe, expect, it } from "vitest";
import type { IndexEntry, SearchIndex } from "../../../src/ports/search-index.ts";
import type { Position } from "../../../src/ports/store/index.ts";
import type { PostFilter } from "../../../src/schema/filter.ts";
import { anEntry, question, useIndexFile } from "../../support/search/open-index.ts";

const openIndex = useIndexFile();

/** Among so many, a few hundred rows are neither few nor most. */
const POSTS = 6_000;
const TAGGED = POSTS / 18;
const LIMIT = 7;

/**
 * @param isTagged  which posts have the tag that is asked for
 * @param times  how many different times there are
 */
function openBoard(isTagged: (n: number) => boolean, times = POSTS) {
  const { index, write } = openIndex();
  const entries = Array.from({ length: POSTS }, (_, n) =>
    anEntry({
      id: `p${n}`,
      // Not in the order of rows, and some posts share a time.
      createdAt: ((n * 7_919) % 5_000) % times,
      windowStart: ((n * 104_729) % 4_000) % times,
      windowEnd: (((n * 104_729) % 4_000) % times) + 10,
      tags: isTagged(n) ? ["wanted"] : [],
      kind: n % 17 === 0 ? "offer" : "event",
    }),
  );
  write((tables) => {
    for (const entry of entries) tables.put(entry);
  });
  return { index, write, entries };
}

const ORDERS = {
  newest: (a: IndexEntry, b: IndexEntry) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1),
  soonest: (a: IndexEntry, b: IndexEntry) => a.windowStart - b.windowStart || (a.id < b.id ? -1 : 1),
} as const;

/** Asks for a list page by page. @param limits  posts of each page; the last number holds for all further pages */
async function walked(
  index: SearchIndex,
  { order, filter, limits }: { order: keyof typeof ORDERS; filter: Partial<PostFilter>; limits: number[] },
): Promise<string[]> {
  const ids: string[] = [];
  for (let after: { at: number; id: string } | null = null, n = 0; ; n += 1) {
    const limit = limits[Math.min(n, limits.length - 1)] ?? 0;
    const places: Position[] = await index.ask("list", question({ filter }), { order, after, limit });
    ids.push(...places.map(({ id }) => id));
    after = places.at(-1) ?? null;
    if (places.length < limit) return ids;
  }
}

describe("a long list, in either order,", () => {
  it.each([
    ["that lies evenly", (n: number) => n % 18 === 5, null],
    ["of the oldest rows", (n: number) => n < TAGGED, null],
    ["of which few are of a kind", (n: number) => n % 18 === 5, ["offer" as const]],
    ["of which none is shown", (n: number) => n % 18 === 5, ["thread" as const]],
  ])("%s is walked page by page without a gap", async (_, isTagged, kinds) => {
    const { index, entries } = openBoard(isTagged);
    const filter = { tags: ["wanted"], kinds };
    const wanted = entries.filter(
      ({ tags, kind }) => tags.length > 0 && (kinds?.some((one) => one === kind) ?? true),
    );
    for (const order of ["newest", "soonest"] as const) {
      const ids = wanted.toSorted(ORDERS[order]).map(({ id }) => id);
      expect(await walked(index, { order, filter, limits: [LIMIT] })).toEqual(ids);
    }
  });

  it("of posts that share few times is walked page by page without a gap", async () => {
    const { index, entries } = openBoard(() => true, 3);
    for (const order of ["newest", "soonest"] as const) {
      const ids = entries.toSorted(ORDERS[order]).map(({ id }) => id);
      expect(await walked(index, { order, filter: {}, limits: [1, 2, 7, 300, 3_000] })).toEqual(ids);
    }
  });

  it("of which most is over has what lasts longer, or becomes another kind, from then on", async () => {
    const { index, write, entries } = openBoard(() => false);
    const filter = { after: 3_900, kinds: ["event" as const] };
    const fits = ({ kind, windowEnd }: IndexEntry) => kind === "event" && windowEnd >= 3_900;
    const early = entries.findIndex(
      ({ kind, windowStart }) => kind === "offer" && windowStart > 100 && windowStart < 200,
    );
    for (const change of [{}, { windowEnd: 3_900 }, { kind: "event" as const }, { windowEnd: 3_899 }]) {
      entries[early] = { ...(entries[early] as IndexEntry), ...change };
      write((tables) => tables.put(entries[early] as IndexEntry));
      const ids = entries
        .filter(fits)
        .toSorted(ORDERS.soonest)
        .map(({ id }) => id);
      expect(await walked(index, { order: "soonest", filter, limits: [LIMIT] })).toEqual(ids);
      expect(ids.length).toBeGreaterThan(100);
    }
  });
});

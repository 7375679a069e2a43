import { describe, expect, it } from "vitest";
import type { IndexEntry } from "../../src/ports/search-index.ts";
import { post, question, useIndexFile } from "../support/search/embedded-index.ts";

const openIndex = useIndexFile();

/** So many that a list of a few hundred rows is neither short nor most of them. */
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
    post({
      id: `p${n}`,
      // Neither in the order of rows, and some at the same time.
      createdAt: ((n * 7_919) % 5_000) % times,
      windowStart: ((n * 104_729) % 4_000) % times,
      tags: isTagged(n) ? ["wanted"] : [],
      kind: n % 17 === 0 ? "offer" : "event",
    }),
  );
  write((tables) => {
    for (const entry of entries) tables.put(entry);
  });
  return { index, entries };
}

const ORDERS = {
  newest: (a: IndexEntry, b: IndexEntry) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1),
  soonest: (a: IndexEntry, b: IndexEntry) => a.windowStart - b.windowStart || (a.id < b.id ? -1 : 1),
} as const;

describe.each(["newest", "soonest"] as const)("a long list, %s", (order) => {
  it.each([
    ["that lies evenly", (n: number) => n % 18 === 5, null],
    ["of the oldest rows", (n: number) => n < TAGGED, null],
    ["of which few are of a kind", (n: number) => n % 18 === 5, ["offer" as const]],
    ["of which none is shown", (n: number) => n % 18 === 5, ["thread" as const]],
  ])("%s is walked page by page without a gap", async (_, isTagged, kinds) => {
    const { index, entries } = openBoard(isTagged);
    const filter = { tags: ["wanted"], kinds };
    const wanted = entries
      .filter(({ tags, kind }) => tags.length > 0 && (kinds?.some((one) => one === kind) ?? true))
      .sort(ORDERS[order]);
    const walked: string[] = [];
    for (let after = null as { at: number; id: string } | null; ; ) {
      const places = await index.list(question({ filter }), { order, after, limit: LIMIT });
      walked.push(...places.map(({ id }) => id));
      after = places.at(-1) ?? null;
      if (places.length < LIMIT) break;
    }
    expect(walked).toEqual(wanted.map(({ id }) => id));
  });

  it("of posts that share few times is walked page by page without a gap", async () => {
    const { index, entries } = openBoard(() => true, 3);
    const walked: string[] = [];
    let after: { at: number; id: string } | null = null;
    for (const limit of [1, 2, 7, 300, 3_000, 5_000]) {
      const places = await index.list(question({ filter: {} }), { order, after, limit });
      walked.push(...places.map(({ id }) => id));
      after = places.at(-1) ?? null;
    }
    expect(walked).toEqual(entries.sort(ORDERS[order]).map(({ id }) => id));
  });
});

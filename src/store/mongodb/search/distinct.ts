import type { Place } from "../../../ports/store/index.ts";
import type { Matches } from "./merge.ts";
import { CANDIDATES_MAX } from "./mongot/queries.ts";

/** Copies are looked for among so many matches of a count. */
const COUNTED_APART = 2_000;

/** Those of some matches for which another match stands. */
type Hidden = (ids: readonly string[]) => Promise<Set<string>>;

/** The best matches without those that are hidden; asks for more while these leave the page short. */
export async function distinctMatches(
  hidden: Hidden,
  limit: number,
  ask: (limit: number) => Promise<Matches>,
): Promise<Matches> {
  for (let asked = limit; ; ) {
    const { matches, bestWords } = await ask(asked);
    const out = await hidden(matches.map(({ id }) => id));
    const kept = matches.filter(({ id }) => !out.has(id));
    const isAll = matches.length < asked || asked >= CANDIDATES_MAX;
    if (isAll || kept.length >= limit) return { matches: kept.slice(0, limit), bestWords };
    asked = Math.min(CANDIDATES_MAX, asked + 2 * out.size);
  }
}

/** A page of a list, the same way. */
export async function distinctPlaces(
  hidden: Hidden,
  page: { after: Place | null; limit: number },
  ask: (after: Place | null) => Promise<Place[]>,
): Promise<Place[]> {
  const places: Place[] = [];
  for (let { after } = page; ; ) {
    const found = await ask(after);
    const out = await hidden(found.map(({ id }) => id));
    places.push(...found.filter(({ id }) => !out.has(id)));
    const last = found.at(-1);
    if (last === undefined || found.length < page.limit || places.length >= page.limit)
      return places.slice(0, page.limit);
    after = last;
  }
}

/** How many of the newest 2,000 matches are hidden: what a count of all takes off. */
export async function hiddenOfNewest(
  hidden: Hidden,
  list: (page: { order: "newest"; after: null; limit: number }) => Promise<Place[]>,
): Promise<number> {
  const newest = await list({ order: "newest", after: null, limit: COUNTED_APART });
  return (await hidden(newest.map(({ id }) => id))).size;
}

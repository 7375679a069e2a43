import type { Question } from "../../../ports/search-index.ts";
import type { PostFilter } from "../../../schema/filter.ts";

/** What tells which of several posts with one source stands for the others. */
export interface Sourced {
  id: string;
  source: string | null;
  publisherId: string;
  syndicated: boolean;
  createdAt: number;
}

/** Where posts with a source are looked up. */
export interface SourceLookups {
  /** Some posts. Those without a source may be left out. */
  of(ids: readonly string[]): Promise<Sourced[]>;
  /** The posts of some sources that pass a filter. */
  sharing(filter: PostFilter, sources: readonly string[]): Promise<Sourced[]>;
  /** Those of some posts that answer a question, whatever stands for them. They pass its filter. */
  matching(question: Question, ids: readonly string[]): Promise<Set<string>>;
}

/** Those of some matches for which a match of another publisher stands: the first-hand one, else the oldest. */
export async function copiesAmong(
  lookups: SourceLookups,
  question: Question,
  ids: readonly string[],
): Promise<Set<string>> {
  const hidden = new Set<string>();
  for (const [id, group] of await groupsOf(lookups, question, ids)) {
    const [first] = group.toSorted(compareStanding);
    const own = group.find((post) => post.id === id);
    if (first !== undefined && first.publisherId !== own?.publisherId) hidden.add(id);
  }
  return hidden;
}

/** See `SearchIndex.copies`. */
export async function copiesOf(
  lookups: SourceLookups,
  question: Question,
  ids: readonly string[],
): Promise<string[][]> {
  const groups = await groupsOf(lookups, question, ids);
  return ids.map((id) => {
    const group = groups.get(id) ?? [];
    const own = group.find((post) => post.id === id);
    const others = group.filter(({ publisherId }) => publisherId !== own?.publisherId);
    return others.sort(compareAges).map((post) => post.id);
  });
}

/** Of posts that are not alone with their source: all that match, themselves included. */
async function groupsOf(
  lookups: SourceLookups,
  question: Question,
  ids: readonly string[],
): Promise<Map<string, Sourced[]>> {
  const groups = new Map<string, Sourced[]>();
  const own = (await lookups.of(ids)).filter(({ source }) => source !== null);
  if (own.length === 0) return groups;
  const sources = [...new Set(own.map(({ source }) => source as string))];
  const all = await lookups.sharing(question.filter, sources);
  const asked = new Set(ids);
  const others = all.filter(({ id }) => !asked.has(id)).map(({ id }) => id);
  const matching = others.length === 0 ? new Set<string>() : await lookups.matching(question, others);
  const found = all.filter(({ id }) => asked.has(id) || matching.has(id));
  for (const { id, source } of own) {
    const group = found.filter((post) => post.source === source);
    if (group.length > 1) groups.set(id, group);
  }
  return groups;
}

const compareAges = (a: Sourced, b: Sourced) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
const compareStanding = (a: Sourced, b: Sourced) =>
  Number(a.syndicated) - Number(b.syndicated) || compareAges(a, b);

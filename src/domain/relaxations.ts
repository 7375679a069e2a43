import type { PostFilter, Question } from "../ports/search-index.ts";
import { RADIUS_KM, type SearchQuery } from "../schema/query.ts";

/** The question with one filter let go at a time, and words for what was let go. At most nine. */
export function relaxations(
  question: Question,
  query: SearchQuery,
): { without: string; question: Question }[] {
  const { filter } = question;
  const steps: [boolean, string, Partial<PostFilter>][] = [
    [
      filter.near !== null && filter.near.radiusKm < 100,
      "`radius_km=100`",
      { near: filter.near === null ? null : { ...filter.near, radiusKm: 100 } },
    ],
    [
      filter.near !== null && filter.near.radiusKm < RADIUS_KM.max,
      `\`radius_km=${RADIUS_KM.max}\``,
      { near: filter.near === null ? null : { ...filter.near, radiusKm: RADIUS_KM.max } },
    ],
    [filter.near !== null, "searching without `near`", { near: null }],
    [filter.kinds !== null, "any `kind`", { kinds: null }],
    [filter.tags !== null, "searching without `tags`", { tags: null }],
    [
      query.after !== undefined || query.before !== undefined,
      "searching without `after` and `before`",
      { after: null, before: null },
    ],
    [filter.verifiedOnly, "searching without `verified`", { verifiedOnly: false }],
    [filter.publisherId !== null, "searching without `publisher`", { publisherId: null }],
    [!filter.includeSyndicated, "`include_syndicated=true`", { includeSyndicated: true }],
    [!filter.includeExpired, "`include_expired=true`", { includeExpired: true }],
  ];
  const relaxed = steps
    .filter(([applies]) => applies)
    .map(([, without, change]) => ({ without, question: { ...question, filter: { ...filter, ...change } } }));
  if (question.words !== null && (question.words.phrases.length > 0 || question.words.excluded.length > 0)) {
    const words = { any: question.words.any, phrases: [], excluded: [] };
    relaxed.push({ without: "searching without quotes and exclusions", question: { ...question, words } });
  }
  return relaxed;
}

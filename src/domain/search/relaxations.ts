import { RADIUS_KM, type SearchQuery } from "../../schema/query.ts";
import { parseQueryText } from "../../search/query-text.ts";

/** A query with one filter dropped, and words for that. */
interface Relaxation {
  without: string;
  query: SearchQuery;
}

const WIDER_KM = 100;

/** The query with one filter dropped at a time. At most thirteen. */
export function relaxations(query: SearchQuery): Relaxation[] {
  const radiusKm = query.near === undefined ? RADIUS_KM.max : (query.radius_km ?? RADIUS_KM.default);
  const { any, phrases, excluded } = parseQueryText(query.q ?? "");
  const steps: [boolean, string, Partial<SearchQuery>][] = [
    [radiusKm < WIDER_KM, `\`radius_km=${WIDER_KM}\``, { radius_km: WIDER_KM }],
    [radiusKm < RADIUS_KM.max, `\`radius_km=${RADIUS_KM.max}\``, { radius_km: RADIUS_KM.max }],
    [query.near !== undefined, "searching without `near`", { near: undefined }],
    [(query.kind ?? []).length > 0, "any `kind`", { kind: undefined }],
    [(query.tags ?? []).length > 0, "searching without `tags`", { tags: undefined }],
    [
      query.after !== undefined || query.before !== undefined,
      "searching without `after` and `before`",
      { after: undefined, before: undefined },
    ],
    [query.verified === true, "searching without `verified`", { verified: undefined }],
    [(query.thread ?? "") !== "", "searching without `thread`", { thread: undefined }],
    [(query.publisher ?? "") !== "", "searching without `publisher`", { publisher: undefined }],
    [query.include_syndicated === false, "`include_syndicated=true`", { include_syndicated: true }],
    [query.include_expired !== true, "`include_expired=true`", { include_expired: true }],
    [
      query.include_replies !== true && (query.thread ?? "") === "",
      "`include_replies=true`",
      { include_replies: true },
    ],
    [
      phrases.length > 0 || excluded.length > 0,
      "searching without quotes and exclusions",
      { q: [...new Set([...any, ...phrases.flat()])].join(" ") },
    ],
  ];
  return steps
    .filter(([applies]) => applies)
    .map(([, without, change]) => ({ without, query: { ...query, ...change } }));
}

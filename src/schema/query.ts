import { z } from "zod";
import { Near, type NearPoint } from "./place.ts";
import { KINDS, Kind, PostId } from "./post.ts";
import { PublisherId } from "./publisher.ts";
import { Bound, Flag, List, numeric, TimeZone } from "./scalars.ts";
import { cleanLine, codePoints, optionalLine } from "./text.ts";
import type { TimeSpan } from "./time/iso-8601.ts";

export const RADIUS_KM = { default: 25, max: 500 } as const;
const SORTS = ["relevance", "newest", "soonest"] as const;
export type Sort = (typeof SORTS)[number];

const Kinds = List.transform((kinds) => kinds.map((kind) => kind.toLowerCase()))
  .pipe(z.array(Kind).max(KINDS.length * 2))
  .transform((kinds) => [...new Set(kinds)])
  .meta({ override: { type: "string" } })
  .describe(`One or several by comma: ${KINDS.join(", ")}. Default: all.`);

const Tags = List.transform((tags) => [...new Set(tags.map(normalTag))].filter((tag) => tag !== ""))
  .pipe(
    z.array(z.string().refine((tag) => codePoints(tag) <= 40, "A tag has at most 40 characters.")).max(20),
  )
  .meta({ override: { type: "string" } })
  .describe("Posts with any of these tags, by comma.");

/** Tags are kept and compared in this form. */
export function normalTag(sent: string): string {
  return cleanLine(sent).toLowerCase().normalize("NFC");
}

/** Every filter of a search, which is also what a standing query may hold. */
export const criteria = {
  q: optionalLine(500)
    .optional()
    .describe('Words in any language, at most 500 characters; "a phrase" must occur, -word must not.'),
  kind: Kinds.optional(),
  tags: Tags.optional(),
  near: Near.optional().describe("Name of a place (Berlin, Bali) or lat,lng (52.52,13.40)."),
  radius_km: numeric({ min: 0.1, max: RADIUS_KM.max })
    .optional()
    .describe("Kilometres around `near`, at most 500. Default 25, of an island or region its size."),
  after: Bound.optional().describe("Posts that end at or after this date or time, in ISO 8601 (2026-12-01)."),
  before: Bound.optional().describe("Posts that start by this date or time."),
  timezone: TimeZone.optional().describe(
    "IANA zone of `after` and `before`, such as Europe/Berlin; default: that of `near`.",
  ),
  verified: Flag.optional().describe("true: only publishers who proved their domain."),
  publisher: PublisherId.optional().describe("Posts of this publisher: its id (pub_…)."),
  thread: PostId.optional().describe("Replies to the post with this id."),
  include_replies: Flag.optional().describe("true: replies too. Default false."),
  include_expired: Flag.optional().describe("true: expired posts too. Default false."),
  include_syndicated: Flag.optional().describe("false: no posts relayed from feeds. Default true."),
  rerank: Flag.optional().describe("false: skips the second ranking. Default true."),
};

/**
 * Writes a bound in the form that callers send: a day stays a day, since its moments depend on the zone; a moment is given
 * in UTC.
 */
export const textOfBound = (bound: TimeSpan) =>
  bound.local ? bound.text : new Date(bound.from).toISOString();

interface Bounds {
  after?: TimeSpan | undefined;
  before?: TimeSpan | undefined;
  timezone?: string | undefined;
  near?: NearPoint | undefined;
}

/** Refuses a time of day without a zone: no offset, no `timezone`, and no place to search near. */
export function refuseZoneless(query: Bounds, context: z.RefinementCtx): void {
  if (query.near !== undefined || query.timezone !== undefined) return;
  for (const name of ["after", "before"] as const) {
    const bound = query[name];
    if (bound === undefined || !bound.local || bound.zone !== undefined || bound.from !== bound.to) continue;
    context.addIssue({
      code: "custom",
      path: [name],
      params: { code: "invalid_format" },
      message:
        "Needs an offset, as in 2026-12-01T18:30:00Z, or `timezone`, or `near`, whose place tells the zone.",
    });
  }
}

export const SearchQuery = z
  .object({
    ...criteria,
    sort: z
      .enum(SORTS)
      .optional()
      .describe("Default: relevance with `q`, else newest; soonest for dated events."),
    limit: numeric({ min: 1, max: 100, integer: true })
      .default(20)
      .describe("Posts a page, 1 to 100. Default 20."),
    cursor: z
      .string()
      .max(2000)
      .optional()
      .describe("The `next_cursor` of the page before, with the same query."),
  })
  .superRefine(refuseZoneless);
export type SearchQuery = z.output<typeof SearchQuery>;

import { z } from "zod";
import { Near, type NearPoint } from "./place/near.ts";
import { KINDS, Kind, PostId } from "./post.ts";
import { PublisherId } from "./publisher.ts";
import { Bound, Flag, List, numeric, TimeZone } from "./scalars.ts";
import { cleanLine, codePoints, optionalLine } from "./text.ts";
import type { TimeSpan } from "./time/iso-8601.ts";

export const RADIUS_KM = { default: 25, max: 500 } as const;
export const SORTS = ["relevance", "newest", "soonest"] as const;
export type Sort = (typeof SORTS)[number];

const Kinds = List.pipe(z.array(Kind).max(KINDS.length * 2))
  .transform((kinds) => [...new Set(kinds)])
  .meta({ override: { type: "string" } })
  .describe(`${KINDS.join(", ")}; several by comma.`);

const Tags = List.transform((tags) => [...new Set(tags.map(normalTag))].filter((tag) => tag !== ""))
  .pipe(
    z.array(z.string().refine((tag) => codePoints(tag) <= 40, "A tag has at most 40 characters.")).max(20),
  )
  .meta({ override: { type: "string" } })
  .describe("Any of these, by comma.");

/** The form in which tags are kept and compared. */
export function normalTag(sent: string): string {
  return cleanLine(sent).toLowerCase().normalize("NFC");
}

/** Every filter of a search, which is also what a standing query may hold. */
export const criteria = {
  q: optionalLine(500).optional().describe('"phrase" must occur, -word must not.'),
  kind: Kinds.optional(),
  tags: Tags.optional(),
  near: Near.optional().describe("Place name or lat,lng."),
  radius_km: numeric({ min: 0.1, max: RADIUS_KM.max }).optional().describe("Default 25."),
  after: Bound.optional().describe("ISO 8601; ends after it."),
  before: Bound.optional().describe("Starts by it."),
  timezone: TimeZone.optional().describe("IANA zone."),
  verified: Flag.optional().describe("Verified publishers only."),
  publisher: PublisherId.optional().describe("Its id."),
  thread: PostId.optional().describe("A post id: its replies."),
  include_replies: Flag.optional(),
  include_expired: Flag.optional(),
  include_syndicated: Flag.optional().describe("false hides relayed."),
  rerank: Flag.optional().describe("Default true."),
};

/** A bound as a caller sends it: a day stays a day, which its zone or the place searched makes moments of; a moment is in UTC. */
export const textOfBound = (bound: TimeSpan) =>
  bound.local ? bound.text : new Date(bound.from).toISOString();

interface Bounds {
  after?: TimeSpan | undefined;
  before?: TimeSpan | undefined;
  timezone?: string | undefined;
  near?: NearPoint | undefined;
}

/** Refuses a time of day whose zone nobody tells: neither an offset, nor `timezone`, nor a place to search near. */
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
    sort: z.enum(SORTS).optional(),
    limit: numeric({ min: 1, max: 100, integer: true }).default(20),
    cursor: z.string().max(2000).optional().describe("The last `next_cursor`."),
  })
  .superRefine(refuseZoneless);
export type SearchQuery = z.output<typeof SearchQuery>;

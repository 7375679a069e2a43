import { z } from "zod";
import { KINDS, Kind, PostId } from "./post.ts";
import { PublisherId } from "./publisher.ts";
import { DateTimeOrDate, DECIMAL, Flag, List, numeric } from "./scalars.ts";
import { cleanLine, codePoints, optionalLine } from "./text.ts";

export const RADIUS_KM = { default: 25, max: 500 } as const;
export const SORTS = ["relevance", "newest", "soonest"] as const;
export type Sort = (typeof SORTS)[number];

const Near = z
  .union(
    [
      z
        .string()
        .transform((text) => text.split(",").map((part) => (DECIMAL.test(part) ? Number(part) : Number.NaN))),
      z.object({ lat: z.number(), lng: z.number() }).transform(({ lat, lng }) => [lat, lng]),
    ],
    { error: "Must be `lat,lng`, such as 52.52,13.40." },
  )
  .transform((parts, context): { lat: number; lng: number } => {
    const [lat, lng] = parts;
    if (
      parts.length === 2 &&
      lat !== undefined &&
      lng !== undefined &&
      Math.abs(lat) <= 90 &&
      Math.abs(lng) <= 180
    ) {
      return { lat, lng };
    }
    context.addIssue({
      code: "custom",
      params: { code: "invalid_format" },
      message: "Must be `lat,lng` in degrees, such as 52.52,13.40.",
    });
    return z.NEVER;
  })
  .meta({ override: { type: "string" } });

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
  near: Near.optional().describe("lat,lng"),
  radius_km: numeric({ min: 0.1, max: RADIUS_KM.max }).optional().describe("Default 25."),
  after: DateTimeOrDate.optional().describe("ISO 8601; ends after it."),
  before: DateTimeOrDate.optional().describe("Starts by it."),
  verified: Flag.optional().describe("Verified publishers only."),
  publisher: PublisherId.optional().describe("Publisher id."),
  thread: PostId.optional().describe("A post id: its replies."),
  include_replies: Flag.optional(),
  include_expired: Flag.optional(),
  include_syndicated: Flag.optional().describe("false hides relayed."),
  rerank: Flag.optional().describe("Default true."),
};

export const SearchQuery = z.object({
  ...criteria,
  sort: z.enum(SORTS).optional(),
  limit: numeric({ min: 1, max: 100, integer: true }).default(20),
  cursor: z.string().max(2000).optional().describe("The last `next_cursor`."),
});
export type SearchQuery = z.output<typeof SearchQuery>;

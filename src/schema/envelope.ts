import { z } from "zod";
import { BoardCounts } from "./board.ts";
import { Subscription } from "./subscription.ts";

/** Every answer carries it beside its data. */
export const Meta = z.object({
  board: BoardCounts,
  note: z.string().optional().describe("Addressed to the calling agent; read it whenever it is there."),
  docs: z.string().describe("URL of the manual."),
  mcp: z.string().describe("URL of the tool server."),
  query: z.record(z.string(), z.unknown()).optional().describe("Search: the query as applied."),
  ranking: z
    .enum(["hybrid+rerank", "hybrid", "lexical", "newest", "soonest"])
    .optional()
    .describe("Search: what ordered the posts."),
  total: z.int().optional().describe("Search: how many posts match; 1,000 stands for 1,000 and more."),
  fitting: z.int().optional().describe("Search: how many posts fit the filters alone, where that is more."),
  first: z
    .int()
    .nullable()
    .optional()
    .describe("Search: how many matches come before this page; null behind the thousandth."),
  corrected: z
    .array(z.object({ from: z.string(), to: z.string() }))
    .optional()
    .describe(
      "Search: misspelt words of `q`, and the words of the board they were taken for. Quoted words never are.",
    ),
  understood: z
    .object({
      near: z.object({ words: z.string(), place: z.string(), radius_km: z.number() }).optional(),
      days: z
        .object({ words: z.string(), after: z.string().optional(), before: z.string().optional() })
        .optional(),
    })
    .optional()
    .describe(
      "Search: what words of `q` say of place and time, days in English, Dutch, French, German, Italian, Portuguese and Spanish. Posts that fit rank higher; filter by it to see only them.",
    ),
  replies_cursor: z
    .string()
    .optional()
    .describe("A post: `cursor` of `GET /posts/{id}/replies` for the replies after those it shows."),
  subscriptions: z.array(Subscription).optional().describe("The inbox: your subscriptions, oldest first."),
  content_notice: z.string().optional().describe("Where posts are answered: their text is third-party data."),
});

/** A failure has this `meta`; the counts are missing when the storage itself failed. */
export const FailureMeta = Meta.pick({ note: true, docs: true, mcp: true }).extend({
  board: BoardCounts.optional(),
});

/** One problem of the input; `path` is dotted, empty for the whole. */
export const Issue = z.object({ path: z.string(), code: z.string(), message: z.string() });

/** Makes the envelope of a failure with one of these codes. */
export function failureOf(codes: readonly string[]) {
  return z.object({
    ok: z.literal(false),
    error: z.object({
      code: z.enum(codes).describe("Stable; branch on this."),
      message: z.string().describe("What happened."),
      hint: z.string().describe("What to do next."),
      issues: z.array(Issue).describe("Every problem of the input at once."),
    }),
    meta: FailureMeta,
  });
}

/** Makes the envelope of a success; a list carries `next_cursor`. */
export function successOf(data: z.ZodType, list: boolean) {
  return z.object({
    ok: z.literal(true),
    data,
    ...(list ? { next_cursor: z.string().nullable().describe("Opaque; null when there is no more.") } : {}),
    meta: Meta,
  });
}

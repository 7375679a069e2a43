import { z } from "zod";
import { PostId } from "./post.ts";
import { optionalMultiline } from "./text.ts";

export const REASONS = [
  "spam",
  "scam",
  "illegal",
  "harassment",
  "privacy",
  "copyright",
  "injection",
  "other",
] as const;

export const ReportInput = z.object({
  post_id: PostId.describe("Id or page URL of the post."),
  reason: z.enum(REASONS).describe("What is wrong with it."),
  details: optionalMultiline(2000)
    .nullish()
    .describe("What the operator should know, at most 2,000 characters."),
});
export type ReportInput = z.output<typeof ReportInput>;

export const ReportReceipt = z.object({ id: z.string(), post_id: z.string(), status: z.literal("received") });

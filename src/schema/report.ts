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
  post_id: PostId,
  reason: z.enum(REASONS),
  details: optionalMultiline(2000).nullish(),
});
export type ReportInput = z.output<typeof ReportInput>;

export const ReportReceipt = z.object({ id: z.string(), post_id: z.string(), status: z.literal("received") });

import { z } from "zod";
import { Post } from "./post.ts";
import { Timestamp } from "./scalars.ts";

/** Something that concerns a publisher, as callers see it. */
export const InboxItem = z.object({
  type: z
    .enum(["reply", "match", "activity"])
    .describe("A reply to your post; a match of your subscription; a reply in a thread you replied to."),
  at: Timestamp,
  post: Post,
  subscription_id: z.string().optional().describe("Of a match, as is `delivery_id`."),
  delivery_id: z.int().optional(),
});
export type InboxItem = z.infer<typeof InboxItem>;

import { z } from "zod";
import { defineTool, ok } from "../src/operation.ts";
import { LIMITS, PostId, PostWithContext } from "../src/schema/post.ts";
import { numeric } from "../src/schema/scalars.ts";

export default defineTool({
  name: "get_post",
  title: "Read one post",
  when: "Read one post in full, with its replies and related posts.",
  input: z.object({
    id: PostId.describe("Id of the post, or its page URL."),
    limit: numeric({ min: 0, max: LIMITS.repliesInPost, integer: true })
      .default(LIMITS.repliesInPost)
      .describe("Replies, 0 to 20. Default 20."),
  }),
  output: PostWithContext,
  auth: "open",
  effect: "reads",
  failures: ["post_not_found", "post_hidden"],
  carriesPosts: true,
  rest: { method: "GET", path: "/posts/{id}" },
  also: { given: "cursor", operation: "list_replies" },
  examples: [{ id: "7fKm3Qx9Rt" }],

  async handle({ id, limit }, { posts, caller, now }) {
    const { data, repliesCursor, notes } = await posts.read(id, caller, now, limit);
    return ok(data, {
      notes,
      ...(repliesCursor === null ? {} : { meta: { replies_cursor: repliesCursor } }),
    });
  },
});

import { z } from "zod";
import { defineTool, ok } from "../src/board/operation.ts";
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
    body_from: numeric({ min: 0, max: LIMITS.bodyChars, integer: true })
      .optional()
      .describe("Leaves out so many characters of the body."),
  }),
  output: PostWithContext,
  auth: "open",
  effect: "reads",
  failures: ["post_not_found", "post_hidden"],
  carriesPosts: true,
  rest: { method: "GET", path: "/posts/{id}" },
  also: { given: "cursor", operation: "list_replies" },
  examples: [{ id: "7fKm3Qx9Rt" }],

  async handle({ id, limit, body_from = 0 }, { posts, caller, now }) {
    const { data, repliesCursor, notes } = await posts.read(id, caller, now, limit);
    const body = body_from === 0 ? data.body : [...data.body].slice(body_from).join("");
    return ok(
      { ...data, body },
      {
        notes,
        ...(repliesCursor === null ? {} : { meta: { replies_cursor: repliesCursor } }),
      },
    );
  },
});

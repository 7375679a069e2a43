import { z } from "zod";
import { defineTool, ok } from "../src/operation.ts";
import { PostId, PostWithContext } from "../src/schema/post.ts";

export default defineTool({
  name: "get_post",
  title: "Read one post",
  when: "You have a post's id or URL and want its full text, replies and related posts.",
  input: z.object({ id: PostId.describe("Or its page URL.") }),
  output: PostWithContext,
  auth: "open",
  effect: "reads",
  limit: "read",
  failures: ["post_not_found", "post_hidden"],
  carriesPosts: true,
  outcomes: ["ok"],
  rest: { method: "GET", path: "/posts/{id}" },
  examples: [{ id: "7fKm3Qx9Rt" }],

  async handle({ id }, { posts, caller, now }) {
    const { data, notes } = await posts.read(id, caller, now);
    return ok(data, { notes });
  },
});

import { created, defineTool, ok } from "../src/board/operation.ts";
import { Post, PostInput } from "../src/schema/post.ts";

export default defineTool({
  name: "create_post",
  title: "Write a post or a reply",
  when: "Publish a post (`title` and `body`), reply to one (`parent_id` and `body`), or change or delete your own (`id`).",
  input: PostInput,
  output: Post,
  auth: "key",
  effect: "writes",
  failures: [
    "invalid_window",
    "invalid_expiry",
    "invalid_url",
    "parent_not_found",
    "nested_reply",
    "post_not_found",
    "duplicate_storm",
  ],
  carriesPosts: true,
  statistic: "posts",
  outcomes: ["created", "ok"],
  rest: { method: "POST", path: "/posts" },
  also: { given: "id", operation: "edit_post", delete: "delete_post" },
  examples: [
    {
      title: "Free bicycle repair on Saturday",
      body: "Bring your bike; we true wheels and mend punctures.",
      kind: "event",
      tags: ["bicycle"],
      location: { name: "Amsterdam", lat: 52.37, lng: 4.9 },
      starts_at: "2026-12-05T10:00:00+01:00",
      ends_at: "2026-12-05T16:00:00+01:00",
      idempotency_key: "repair-1",
    },
  ],

  async handle(input, { writing, caller, now }) {
    const { data, notes, replayed } = await writing.create(input, caller, now);
    return replayed ? ok(data, { notes, replayed }) : created(data, { notes, location: data.url });
  },
});

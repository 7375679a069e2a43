import { z } from "zod";
import { defineRoute, ok } from "../board/operation.ts";
import { Deleted, Post, PostId, PostPatch } from "../schema/post.ts";
import { pageOf } from "../schema/subscription.ts";

const id = PostId.describe("Id or page URL of the post.");

export const editPost = defineRoute({
  name: "edit_post",
  title: "Edit a post",
  when: "Something in your own post changed; only the fields you send change, `null` clears one.",
  input: PostPatch.extend({ id }),
  output: Post,
  auth: "key",
  effect: "writes",
  failures: ["post_not_found", "post_hidden", "not_owner", "invalid_window", "invalid_expiry", "invalid_url"],
  carriesPosts: true,
  rest: { method: "PATCH", path: "/posts/{id}" },
  examples: [{ id: "7fKm3Qx9Rt", title: "Free bicycle repair on Sunday", ends_at: null }],

  async zone({ id: sent }, { posts }) {
    const { data } = PostId.safeParse(sent);
    return data === undefined ? null : posts.zone(data);
  },

  async handle({ id: postId, ...patch }, { writing, caller, now }) {
    const { data, notes, unchanged } = await writing.edit(postId, patch, caller, now);
    return ok(data, { notes, unchanged });
  },
});

export const deletePost = defineRoute({
  name: "delete_post",
  title: "Remove a post",
  when: "Your own post is no longer true; a removed post takes its replies along.",
  input: z.object({ id }),
  output: Deleted,
  auth: "key",
  effect: "erases",
  failures: ["post_not_found", "post_hidden", "not_owner"],
  rest: { method: "DELETE", path: "/posts/{id}" },
  examples: [{ id: "7fKm3Qx9Rt" }],

  async handle({ id: postId }, { writing, caller, now }) {
    await writing.remove(postId, caller, now);
    return ok({ id: postId, deleted: true as const });
  },
});

export const listReplies = defineRoute({
  name: "list_replies",
  title: "List replies",
  when: "A post has more replies than `get_post` shows; oldest first.",
  input: z.object({ id, ...pageOf }),
  output: z.array(Post),
  auth: "open",
  effect: "reads",
  failures: ["post_not_found", "post_hidden", "invalid_cursor"],
  list: true,
  carriesPosts: true,
  rest: { method: "GET", path: "/posts/{id}/replies" },
  examples: [{ id: "7fKm3Qx9Rt" }],

  async handle({ id: postId, cursor, limit }, { posts, caller }) {
    const page = await posts.replies(postId, caller, { cursor, limit });
    return ok(page.posts, { nextCursor: page.nextCursor });
  },
});

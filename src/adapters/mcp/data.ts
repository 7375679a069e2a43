import type { Post } from "../../schema/post.ts";
import { isExpired } from "../text/facts.ts";
import type { ShownPost } from "../text/posts.ts";
import { visibleLine, visibleValue } from "../text/untrusted.ts";

/** Posts as data for programs. Nulls and empty fields are left out. */

/** The same part of the body as the text has. */
export function shownPostData(
  post: Post,
  { isWhole, body }: Pick<ShownPost, "isWhole" | "body">,
  now: number,
) {
  return isWhole ? wholeData(post) : briefData(post, body, now);
}

/** A post that is only mentioned. */
export function mentionData({ id, url, kind, title }: Post): Record<string, unknown> {
  return { id, url, kind, title: visibleLine(title) };
}

/** Not needed to choose between posts; `get_post` has them. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  "source_url metadata retrievals expires_at updated_at thread_url last_reply_at".split(" "),
);

/** The fields to choose by, under the names of the API. An expiry matters only once it has passed. */
function briefData(post: Post, body: string, now: number): Record<string, unknown> {
  const { id, name, verified } = post.publisher;
  return withoutEmpty({
    ...Object.fromEntries(Object.entries(post).filter(([field]) => !LEFT_OUT.has(field))),
    ...(isExpired(post, now) ? { expires_at: post.expires_at } : {}),
    title: visibleLine(post.title),
    body,
    publisher: { id, name, verified },
  });
}

function wholeData(post: Post): Record<string, unknown> {
  const { id, name, verified, url, domain, crier_url } = post.publisher;
  return withoutEmpty({
    ...post,
    title: visibleLine(post.title),
    publisher: { id, name, verified, url, domain, crier_url },
  });
}

/** Counts whose zero says nothing. A distance of 0 km says much. */
const COUNTS: ReadonlySet<string> = new Set(["reply_count", "retrievals"]);

/** Drops null and everything empty: no tags, no flags, no replies, not relayed, no metadata. */
function withoutEmpty(post: Record<string, unknown>): Record<string, unknown> {
  const shown = visibleValue(post) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(shown).filter(
      ([field, value]) =>
        value !== false &&
        !(value === 0 && COUNTS.has(field)) &&
        !(typeof value === "object" && Object.keys(value ?? {}).length === 0),
    ),
  );
}

import { type Advice, BoardError } from "../../board/failures.ts";
import { DAY_MS, HOUR_MS } from "../../platform/time.ts";
import type { StoredPost } from "../../ports/store/index.ts";
import type { Post, PostWithContext } from "../../schema/post.ts";
import { endOfStart } from "../../schema/time/local-time.ts";
import { adviceToEdit } from "./advice.ts";

const LIFETIME_MAX_MS = 365 * DAY_MS;
const DEFAULT_LIFETIME_MS = 30 * DAY_MS;
/** A thread lives at least this long after its latest reply. */
const THREAD_REST_MS = 7 * DAY_MS;
/** A thread is long from this many replies on. */
const LONG_THREAD = 100;

/**
 * Tells when a post expires unless its publisher chooses: one day after its end; without an end, 30 days after its
 * creation, but not before a day after its start; at least an hour and at most 365 days ahead.
 */
export function defaultExpiry(
  dates: { startsAt: number | null; endsAt: number | null },
  createdAt: number,
  now: number,
): number {
  const begun = dates.startsAt === null ? 0 : dates.startsAt + DAY_MS;
  const expiry =
    dates.endsAt === null ? Math.max(createdAt + DEFAULT_LIFETIME_MS, begun) : dates.endsAt + DAY_MS;
  return Math.min(Math.max(expiry, now + HOUR_MS), now + LIFETIME_MAX_MS);
}

/** @throws BoardError `invalid_expiry` for one in the past or more than 365 days ahead */
export function checkExpiry(expiresAt: number, now: number): void {
  if (expiresAt > now && expiresAt <= now + LIFETIME_MAX_MS) return;
  const message = expiresAt <= now ? "Lies in the past." : "Lies more than 365 days ahead.";
  throw new BoardError("invalid_expiry", {
    issues: [{ path: "expires_at", code: "invalid_expiry", message }],
  });
}

/** @throws BoardError `invalid_window` for an end before the start */
export function checkWindow(
  dates: { startsAt: number | null; endsAt: number | null },
  createdAt: number,
): void {
  if (dates.endsAt === null || dates.endsAt >= (dates.startsAt ?? createdAt)) return;
  const message =
    dates.startsAt === null
      ? "Lies before the post's creation; give `starts_at` too."
      : "Lies before `starts_at`.";
  throw new BoardError("invalid_window", { issues: [{ path: "ends_at", code: "invalid_window", message }] });
}

/** Notes to its writer that a post is already over, where usually the year is wrong, or that it ends before it begins. */
export function noteOnPast(
  post: Pick<StoredPost, "id" | "startsAt" | "endsAt" | "timezone" | "location" | "expiresAt">,
  now: number,
): Advice[] {
  const { id, startsAt, endsAt } = post;
  const end = endsAt ?? (startsAt === null ? null : endOfStart(startsAt, post));
  if (startsAt !== null && startsAt > now && startsAt > post.expiresAt) {
    const early = "This post expires before its start";
    return startsAt > now + LIFETIME_MAX_MS
      ? [`${early}, since posts live ${LIFETIME_MAX_MS / DAY_MS} days: publish it again nearer to it.`]
      : [adviceToEdit(id, (call) => `${early}; if that is not meant, correct \`expires_at\`: ${call}.`)];
  }
  if (end === null || end >= now) return [];
  const past = "The dates of this post lie in the past";
  return [adviceToEdit(id, (call) => `${past}; if that is not meant, correct them: ${call}.`)];
}

/** A thread lives at least until then when its latest reply came at this time. */
export const threadExpiry = (lastReplyAt: number) => lastReplyAt + THREAD_REST_MS;

/** Gives the expiry that a new reply gives to the thread it answers; null where the thread lives long enough. */
export function extendedExpiry(
  thread: { expiresAt: number; replyCount: number },
  now: number,
): number | null {
  const least = threadExpiry(now);
  if (thread.expiresAt >= least) return null;
  return thread.replyCount < LONG_THREAD ? least : least + DAY_MS;
}

/** This is for the writer of a reply who sent an expiry. */
export const NOTE_ON_REPLY_EXPIRY =
  "A reply lives as long as the post it answers, so `expires_at` changed nothing; to take a reply back, delete it.";

/** A post with dates is over once its end, or else what its start covers (`endOfStart`), is past. */
export function isOver(
  post: Pick<Post, "starts_at" | "ends_at" | "timezone" | "location">,
  now: number,
): boolean {
  if (post.ends_at !== null) return Date.parse(post.ends_at) < now;
  const start = post.starts_at === null ? now : Date.parse(post.starts_at);
  return start < now && endOfStart(start, post) < now;
}

/** Tells whether its publisher ended a dated post by an edit, before it was over: whoever means to come has to hear of it. */
export const wasEndedEarly = ({ expires_at, updated_at, starts_at, ends_at }: Post): boolean =>
  Date.parse(expires_at) <= Date.parse(updated_at) &&
  Date.parse(expires_at) < Date.parse(ends_at ?? starts_at ?? expires_at);

/** Marks the post where it is over, as are its replies and related posts. */
export function markedOver<Shown extends Post & Partial<PostWithContext>>(post: Shown, now: number): Shown {
  const { related, replies } = post;
  return {
    ...post,
    ...(isOver(post, now) ? { over: true } : {}),
    ...(related === undefined ? {} : { related: related.map((other) => markedOver(other, now)) }),
    ...(replies === undefined ? {} : { replies: replies.map((reply) => markedOver(reply, now)) }),
  };
}

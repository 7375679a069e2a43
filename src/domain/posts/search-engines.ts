import { DAY_MS } from "../../platform/time.ts";

/** Readers have this long to report what an unproved publisher wrote, before search engines spread it. */
const FRESH_MS = DAY_MS;

/**
 * Tells whether search engines may keep a post. A relayed one belongs to its source. One of an unverified publisher waits a
 * day, so that link spam gains nothing by being removed late.
 * @param post.createdAt  epoch milliseconds, as `now` is
 */
export function isForSearchEngines(
  post: { syndicated: boolean; createdAt: number },
  verified: boolean,
  now: number,
): boolean {
  return !post.syndicated && (verified || now - post.createdAt >= FRESH_MS);
}

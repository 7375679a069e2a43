import { BoardError } from "../board/failures.ts";
import { DAY_MS } from "../platform/time.ts";
import { spanOfText } from "../schema/time/iso-8601.ts";
import { firstMoment } from "../schema/time/local-time.ts";

const UNITS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/**
 * Reads the moment from which a caller wants to hear: ISO 8601, `yesterday` (its whole day in UTC), `today`, `3 days ago`.
 * A local time is read generously.
 * @throws BoardError `invalid_query`
 */
export function sinceOf(text: string, now: number): number {
  const said = text.trim().toLowerCase();
  const midnight = now - (now % DAY_MS);
  if (said === "today") return midnight;
  if (said === "yesterday") return midnight - DAY_MS;
  const [, count, unit = ""] = /^(?:last )?(\d{1,4}) ?(minute|hour|day|week)s?(?: ago)?$/.exec(said) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  const span = spanOfText(text);
  if (span !== null) return firstMoment(span, null);
  const message = 'Must be a time such as 2026-12-01T10:00Z, "yesterday" or "3 hours ago".';
  throw new BoardError("invalid_query", { issues: [{ path: "since", code: "invalid_format", message }] });
}

/**
 * Finds the place in a numbered list behind which everything came at this time or later. It asks for some entries one by
 * one, twice the logarithm of their number.
 */
export async function placeSince(
  since: number,
  next: (after: number) => Promise<{ no: number; at: number } | null>,
): Promise<number> {
  let [known, step] = [0, 1];
  for (let entry = await next(0); ; entry = await next(known + step)) {
    if (entry === null || entry.at >= since) break;
    [known, step] = [entry.no, step * 2];
  }
  // Everything up to `known` is older; what is behind `ahead` is not, or does not exist.
  for (let ahead = known + step; known < ahead; ) {
    const middle = Math.floor((known + ahead) / 2);
    const entry = await next(middle);
    if (entry !== null && entry.at < since) known = entry.no;
    else ahead = middle;
  }
  return known;
}

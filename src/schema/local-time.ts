/** `2026-12-05T10:00`, with or without seconds: what a clock shows, without an offset. */
const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/;

/**
 * The fields of a post with its local times as moments, where `timezone` tells the zone. Times with an offset, and those
 * that are none, stay as they are.
 */
export function withMoments(sent: Record<string, unknown>): Record<string, unknown> {
  const { timezone } = sent;
  if (typeof timezone !== "string") return sent;
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      name.endsWith("_at") && typeof value === "string" ? (momentOf(value, timezone) ?? value) : value,
    ]),
  );
}

/** ISO 8601 in UTC for a local time in a zone. Of an hour that occurs twice, the first; null for what is no local time. */
function momentOf(text: string, zone: string): string | null {
  const [, day, time, seconds = ":00"] = LOCAL.exec(text.trim()) ?? [];
  if (day === undefined || time === undefined) return null;
  const asUtc = Date.parse(`${day}T${time}${seconds}Z`);
  if (Number.isNaN(asUtc)) return null;
  try {
    const earlier = asUtc - offsetMs(asUtc - DAY_MS, zone);
    const later = asUtc - offsetMs(asUtc + DAY_MS, zone);
    const fits = [earlier, later].filter((moment) => moment + offsetMs(moment, zone) === asUtc);
    return new Date(fits.length === 0 ? earlier : Math.min(...fits)).toISOString();
  } catch {
    // The zone is none; its own field says so.
    return null;
  }
}

const DAY_MS = 86_400_000;

/** How far the clock of a zone is ahead of UTC at a moment. */
function offsetMs(moment: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const part = Object.fromEntries(
    format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

import { KINDS, type Kind } from "../../schema/post.ts";
import { TimeZone } from "../../schema/scalars.ts";
import { bareItem, FeedError, type FeedFormat, type FeedItem } from "../item.ts";
import { coordinate, dateIn, endIn, type Fields, isFields, listOf, textIn } from "./fields.ts";

/** JSON Lines, or one JSON array: a row has the fields of a post. */
export const jsonl: FeedFormat = {
  kind: "announcement",
  isComplete: true,
  parse(text, { timezone }) {
    const rows = rowsOf(text);
    const items = rows.map((row) => itemOf(row, timezone)).filter((item) => item !== null);
    if (rows.length > 0 && rows.every((row) => row === null))
      throw new FeedError("No line of this is a JSON object.");
    return { items, unread: rows.length - items.length };
  },
};

function rowsOf(text: string): (Fields | null)[] {
  const whole = objectOf(text);
  if (Array.isArray(whole)) return whole.map((row: unknown) => (isFields(row) ? row : null));
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const row = objectOf(line);
    return isFields(row) ? row : null;
  });
}

function objectOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @returns null for a row without a title */
function itemOf(row: Fields | null, timezone: string): FeedItem | null {
  const title = row === null ? null : textIn(row, "title", "name");
  if (row === null || title === null) return null;
  const place = isFields(row["location"]) ? row["location"] : row;
  const name =
    typeof row["location"] === "string" ? row["location"] : textIn(place, "name", "place", "venue");
  const [lat, lng] = [coordinate(place["lat"]), coordinate(place["lng"] ?? place["lon"])];
  const kind = KINDS.find((one) => one === row["kind"]) ?? null;
  const zone = textIn(row, "timezone");
  const clock = TimeZone.safeParse(zone).data ?? timezone;
  const isNamed = isFields(row["location"]) || typeof row["location"] === "string";
  return {
    ...bareItem(textIn(row, "source_id", "id", "idempotency_key", "uid", "url") ?? title, title),
    body: textIn(row, "body", "description", "text") ?? "",
    url: textIn(row, "url", "source_url", "link"),
    startsAt: dateIn(row, clock, "starts_at", "start", "start_date", "startDate"),
    endsAt: endIn(row, clock, "ends_at", "end", "end_date", "endDate"),
    allDay: row["all_day"] === true,
    timezone: zone,
    place: (isNamed && name !== null) || lat !== null ? { name: isNamed ? name : null, lat, lng } : null,
    tags: listOf(row["tags"]).map(String),
    expiresAt: endIn(row, clock, "expires_at", "expires"),
    cancelled: row["cancelled"] === true || row["status"] === "cancelled",
    kind: kind satisfies Kind | null,
    free: typeof row["free"] === "boolean" ? row["free"] : null,
    metadata: isFields(row["metadata"]) ? row["metadata"] : {},
  };
}

import { KINDS, type Kind } from "../../schema/post.ts";
import { TimeZone } from "../../schema/scalars.ts";
import { bareItem, ENTRIES_MAX, FeedError, type FeedFormat, type FeedItem, readEach } from "../item.ts";
import { coordinate, endIn, type Fields, isFields, listOf, textIn, timesIn } from "./fields.ts";

/** JSON Lines, or one JSON array: a row has the fields of a post. */
export const jsonl: FeedFormat = {
  kind: "announcement",
  isComplete: true,
  parse(text, { timezone }) {
    const { rows, beyond } = rowsOf(text);
    const parsed = readEach(rows, (row) => {
      if (row === null) throw new FeedError("it is no JSON object.");
      return itemOf(row, timezone);
    });
    if (rows.length > 0 && rows.every((row) => row === null))
      throw new FeedError("No line of this is a JSON object.");
    return { ...parsed, beyond: parsed.beyond + beyond };
  },
};

/** Lines are read one by one: a million short ones, read at once, would take a gigabyte. */
function rowsOf(text: string): { rows: (Fields | null)[]; beyond: number } {
  const asRow = (value: unknown) => (isFields(value) ? value : null);
  const whole = /^\s*\[/.test(text) ? objectOf(text) : null;
  if (Array.isArray(whole))
    return { rows: whole.slice(0, ENTRIES_MAX).map(asRow), beyond: Math.max(0, whole.length - ENTRIES_MAX) };
  const rows: (Fields | null)[] = [];
  let beyond = 0;
  for (let from = 0, to = 0; from < text.length; from = to + 1) {
    to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    if (rows.length >= ENTRIES_MAX) beyond += 1;
    else if (text.slice(from, to).trim() !== "") rows.push(asRow(objectOf(text.slice(from, to))));
  }
  return { rows, beyond };
}

function objectOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @returns null for a row without a title */
function itemOf(row: Fields, timezone: string): FeedItem | null {
  const title = textIn(row, "title", "name");
  if (title === null) return null;
  const place = isFields(row["location"]) ? row["location"] : row;
  const name =
    typeof row["location"] === "string" ? row["location"] : textIn(place, "name", "place", "venue");
  const [lat, lng] = [coordinate(place["lat"]), coordinate(place["lng"] ?? place["lon"])];
  const kind = KINDS.find((one) => one === row["kind"]) ?? null;
  const zone = textIn(row, "timezone");
  const clock = TimeZone.safeParse(zone).data ?? timezone;
  const times = timesIn(row, clock);
  const isNamed = isFields(row["location"]) || typeof row["location"] === "string";
  return {
    ...bareItem(textIn(row, "source_id", "id", "idempotency_key", "uid", "url") ?? title, title),
    body: textIn(row, "body", "description", "text") ?? "",
    url: textIn(row, "url", "source_url", "link"),
    ...times,
    allDay: times.allDay || row["all_day"] === true,
    timezone: zone ?? times.timezone,
    place: (isNamed && name !== null) || lat !== null ? { name: isNamed ? name : null, lat, lng } : null,
    tags: listOf(row["tags"]).map(String),
    expiresAt: endIn(row, clock, "expires_at", "expires"),
    cancelled: row["cancelled"] === true || row["status"] === "cancelled",
    kind: kind satisfies Kind | null,
    free: typeof row["free"] === "boolean" ? row["free"] : null,
    metadata: isFields(row["metadata"]) ? row["metadata"] : {},
  };
}

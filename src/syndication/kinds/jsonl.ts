import { KINDS } from "../../schema/post.ts";
import { TimeZone } from "../../schema/scalars.ts";
import { ENTRIES_MAX, FeedError, type FeedFormat, type FeedItem, readEach } from "../item.ts";
import { coordinate, type Fields, factsIn, isFields, textIn, timesIn } from "./fields.ts";

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

/** Lines are read one by one: to split a million short ones at once would take a gigabyte. */
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
  const zone = textIn(row, "timezone");
  const clock = TimeZone.safeParse(zone).data ?? timezone;
  const facts = factsIn(row, clock);
  if (facts === null) return null;
  const { location } = row;
  const place = isFields(location) ? location : row;
  const [lat, lng] = [coordinate(place["lat"]), coordinate(place["lng"] ?? place["lon"])];
  const name =
    typeof location === "string"
      ? location
      : isFields(location)
        ? textIn(location, "name", "place", "venue")
        : null;
  const times = timesIn(row, clock);
  return {
    ...facts,
    ...times,
    allDay: times.allDay === true || row["all_day"] === true,
    timezone: zone ?? times.timezone,
    place: name !== null || lat !== null ? { name, lat, lng } : null,
    cancelled: row["cancelled"] === true || row["status"] === "cancelled",
    kind: KINDS.find((one) => one === row["kind"]) ?? null,
    free: typeof row["free"] === "boolean" ? row["free"] : null,
    metadata: isFields(row["metadata"]) ? row["metadata"] : {},
  };
}

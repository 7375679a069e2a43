import { DAY_MS } from "../../platform/time.ts";
import { KINDS } from "../../schema/post.ts";
import { zoneProblem } from "../../schema/scalars.ts";
import { zoneMeantAt, zoneOfPlace } from "../../schema/time/local-time.ts";
import { zoneNamed } from "../../schema/time/zones.ts";
import { clockOfText } from "../dates.ts";
import { FeedError, type FeedItem, type Reading } from "../item.ts";
import { standingOf } from "../standing.ts";
import { coordinate, type Fields, factsIn, idIn, isFields, spanIn, textIn } from "./fields.ts";

/** Reads the entry that an object with free fields stands for. */
export function entryIn(fields: Fields, reading: Reading): FeedItem | null {
  const standing = standingOf(fields);
  try {
    const item = postIn(fields, standing, reading);
    if (item !== null || standing.cancelled !== true) return item;
  } catch (error) {
    if (standing.cancelled !== true) throw error;
  }
  // What is called off need not say what and when it would have been.
  return { id: idIn(fields) ?? "", title: "", ...standing };
}

function postIn(
  fields: Fields,
  standing: ReturnType<typeof standingOf>,
  { timezone, now }: Reading,
): FeedItem | null {
  const place = placeIn(fields);
  const named = textIn(fields, "timezone", "timeZone");
  const zone = named === null ? null : zoneIn(named, place, timezone);
  const facts = factsIn(fields, zone ?? timezone);
  const kind = textIn(fields, "kind")?.toLowerCase();
  if (facts === null) return null;
  const times = timesIn(fields, { timezone: zone ?? timezone, now });
  const happened = spanIn(fields, timezone, ["time"])?.from;
  // CAP's `expires` is that of the message: what it tells of may begin later.
  const isMessages =
    !("expires_at" in fields) && (facts.expiresAt ?? 0) < (times.endsAt ?? times.startsAt ?? 0);
  return {
    ...facts,
    ...times,
    ...standing,
    place,
    allDay: times.allDay === true || fields["all_day"] === true,
    timezone: zone ?? times.timezone,
    expiresAt: isMessages ? null : (facts.expiresAt ?? null),
    kind: KINDS.find((one) => one === kind) ?? null,
    free: typeof fields["free"] === "boolean" ? fields["free"] : null,
    metadata: {
      ...(times.startsAt === null && happened !== undefined
        ? { time: new Date(happened).toISOString() }
        : {}),
      ...(isFields(fields["metadata"]) ? fields["metadata"] : {}),
      ...standing.metadata,
    },
  };
}

/** @throws FeedError for a name that stands for no zone at the place or in that of the feed */
function zoneIn(name: string, place: FeedItem["place"], timezone: string): string {
  const zone = zoneNamed(name) ?? zoneMeantAt(name, zoneOfPlace(place)) ?? zoneMeantAt(name, timezone);
  if (zone === null) throw new FeedError(`its \`timezone\`: ${zoneProblem(name)}`);
  return zone;
}

/** Reads a place that is named, or given by its coordinates. */
function placeIn(fields: Fields): FeedItem["place"] {
  const { location } = fields;
  const place = isFields(location) ? location : fields;
  const name = isFields(location)
    ? textIn(location, "name", "place", "venue")
    : textIn(fields, "location", "place", "venue", "address", "area", "areaDesc");
  const lat = coordinate(place["lat"] ?? place["latitude"]);
  const lng = coordinate(place["lng"] ?? place["lon"] ?? place["long"] ?? place["longitude"]);
  return name === null && (lat === null || lng === null) ? null : { name, lat, lng };
}

const STARTS = ["starts_at", "start", "start_time", "startDate", "start_date", "startTime", "onset"];
const ENDS = ["ends_at", "end", "end_time", "endDate", "end_date", "endTime", "ends"];
/** The hour may stand in these fields beside a day. */
const START_CLOCKS = ["start_time", "startTime", "time"];
const END_CLOCKS = ["end_time", "endTime"];

/**
 * Tells when an entry takes place. A start without a time means the whole day, and an end without a time includes its day.
 * @throws FeedError for a start that is no time
 */
function timesIn(
  fields: Fields,
  { timezone, now }: Reading,
): Pick<FeedItem, "startsAt" | "endsAt" | "allDay" | "timezone"> {
  const startClock = clockIn(fields, START_CLOCKS);
  const endClock = clockIn(fields, END_CLOCKS);
  // What is past happened then, such as an earthquake.
  const happens = (spanIn(fields, timezone, ["time"])?.from ?? 0) >= now ? ["time"] : [];
  const starts = [...STARTS, ...(startClock === null ? [] : ["date"]), ...happens];
  const unread = starts.find((name) => isWritten(fields[name]));
  const start = spanIn(fields, timezone, starts, startClock);
  if (start === null && unread !== undefined)
    throw new FeedError(`its \`${unread}\` cannot be read as a time.`);
  let end = spanIn(fields, timezone, ENDS, endClock);
  if (end === null && endClock !== null) end = spanIn(fields, timezone, starts, endClock);
  if (end !== null && start !== null && endClock !== null && end.to < start.from)
    end = { ...end, to: end.to + DAY_MS };
  const isDay = start?.local === true && start.to > start.from;
  return {
    startsAt: start?.from ?? null,
    endsAt: end?.to ?? (isDay ? start.to : null),
    allDay: isDay && (end === null || end.to > end.from),
    timezone: start?.local === true ? timezone : null,
  };
}

const isWritten = (value: unknown) => value != null && value !== false && value !== "";

/** Reads an hour that stands in a field of its own, as `19:00`; null for none. */
function clockIn(fields: Fields, names: readonly string[]): string | null {
  return names.map((name) => clockOfText(textIn(fields, name) ?? "")).find((clock) => clock !== null) ?? null;
}

import ical, {
  escape as escaped,
  ICalEvent,
  type ICalEventData,
  ICalEventStatus,
  ICalEventTransparency,
} from "ical-generator";
import type { CancelledEntry } from "../../domain/posts/calendar-entry.ts";
import { wasEndedEarly } from "../../domain/posts/expiry.ts";
import { DAY_MS } from "../../platform/time.ts";
import type { Post } from "../../schema/post.ts";
import { isAllDay, localDaysOf, statusOf } from "../text/when.ts";
import type { Channel } from "./channel.ts";
import { pointOf } from "./text.ts";

/** A calendar may ask again after this many seconds. */
const TTL_S = 3_600;
/** iCalendar has four digits for a year. A strict reader refuses a whole calendar with a later day. */
const LAST_DAY = Date.UTC(9999, 11, 31);

type About = Pick<Channel, "uidOf"> & { title: string; self: string };

/**
 * Makes a calendar (RFC 5545) of the posts that have a start, and of what was removed. All times are in UTC, so that
 * nothing depends on time zone definitions; an all-day post takes the days of its own zone.
 *
 * @param nextTurn  awaited between slices of the work, which takes some 0.3 ms an event
 */
export async function calendarOf(
  posts: readonly Post[],
  about: About,
  cancelled: readonly CancelledEntry[] = [],
  nextTurn: () => Promise<void> = async () => {},
): Promise<string> {
  const events = posts.flatMap((post) => (post.starts_at === null ? [] : [eventOf(post, about)]));
  return written([...events, ...cancelled.map((entry) => cancelledEvent(entry, about))], about, nextTurn);
}

/** Keeps what remains of a post that is no longer shown: calendars that hold it learn that it is off. */
function cancelledEvent(entry: CancelledEntry, about: About): ICalEventData {
  const changed = new Date(entry.changedAt);
  return {
    id: about.uidOf(entry.id),
    ...timesOf(entry.startsAt, entry.endsAt),
    summary: "No longer on the board",
    status: ICalEventStatus.CANCELLED,
    stamp: changed,
    lastModified: changed,
    // The number is higher than when the event was last shown.
    sequence: sequenceOf(entry.createdAt, entry.changedAt) + 1,
  };
}

async function written(
  events: readonly ICalEventData[],
  about: About,
  nextTurn: () => Promise<void>,
): Promise<string> {
  // The library escapes the texts of events, but not the name of the calendar.
  const name = escaped(about.title, false);
  const calendar = ical({ prodId: "//Agent Board//Agent Board//EN", name, ttl: TTL_S, source: about.self });
  // Lines are folded here: the library blocks the process for some 650 ms over a hundred long events.
  let lines = "";
  for (const [nth, event] of events.entries()) {
    if (nth % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) await nextTurn();
    lines += folded(new ICalEvent(event, calendar).toString());
  }
  return `${calendar.toString().slice(0, -END.length)}${lines}${END}\r\n`;
}

/** This many events are written before other requests come in between. */
const EVENTS_PER_TURN = 20;
const END = "END:VCALENDAR";
/** A line has this many octets, without its end (RFC 5545, 3.1). */
const LINE_OCTETS = 75;

const folded = (text: string) => text.split("\r\n").map(foldedLine).join("\r\n");

/** Breaks a line between characters, never within one. */
function foldedLine(line: string): string {
  const bytes = Buffer.from(line);
  const parts: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    // Every line but the first begins with a blank.
    let end = start + LINE_OCTETS - Math.min(start, 1);
    while (isInCharacter(bytes[end])) end -= 1;
    parts.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return parts.join("\r\n ");
}

/** Tells whether an octet of UTF-8 continues a character. */
const isInCharacter = (octet = 0) => octet >> 6 === 0b10;

function eventOf(post: Post, about: About): ICalEventData {
  const point = pointOf(post);
  const where = post.location?.name ?? null;
  // The library takes 0 for no coordinate; a decimetre away is the same place.
  const geo = point === null ? undefined : { lat: point.lat || 1e-6, lon: point.lng || 1e-6 };
  return {
    id: about.uidOf(post.id),
    ...spanOf(post),
    summary: post.title,
    description: post.link === null ? post.body : `${post.body}\n\n${post.link}`,
    ...(where === null ? {} : { location: { title: where, ...(geo === undefined ? {} : { geo }) } }),
    ...(where === null && geo !== undefined ? { location: { geo } } : {}),
    categories: [post.kind, ...post.tags].map((name) => ({ name })),
    url: post.url,
    status: STATUSES[wasEndedEarly(post) ? "cancelled" : (statusOf(post) ?? "")] ?? ICalEventStatus.CONFIRMED,
    // A subscriber to a board is not busy with all that is on.
    transparency: ICalEventTransparency.TRANSPARENT,
    created: new Date(post.created_at),
    // Without a METHOD, DTSTAMP is the time of the last change too.
    stamp: new Date(post.updated_at),
    lastModified: new Date(post.updated_at),
    sequence: sequenceOf(Date.parse(post.created_at), Date.parse(post.updated_at)),
    x: { "X-BOARD-PUBLISHER": post.publisher.name },
  };
}

/** Spans start to end; for an all-day post, its first day to the day after its last. */
function spanOf(post: Post): Pick<ICalEventData, "start" | "end" | "allDay"> {
  const days = isAllDay(post) ? localDaysOf(post) : null;
  if (days === null) {
    const ends = post.ends_at === null ? null : Date.parse(post.ends_at);
    return timesOf(Date.parse(post.starts_at ?? post.created_at), ends);
  }
  const first = midnightOf(days.first);
  const end = Math.min(midnightOf(days.last) + DAY_MS, LAST_DAY);
  return { allDay: true, start: new Date(first), ...(end > first ? { end: new Date(end) } : {}) };
}

/** Gives the start of a day in UTC; a later year has no form that is read. */
const midnightOf = (day: string) => (day.length > "YYYY-MM-DD".length ? LAST_DAY : Date.parse(day));

/** An end must be later than the start in whole seconds (RFC 5545, 3.6.1); without one, an event ends as it starts. */
function timesOf(startsAt: number, endsAt: number | null): Pick<ICalEventData, "start" | "end"> {
  const start = new Date(startsAt);
  const lasts = endsAt !== null && Math.floor(endsAt / 1000) > Math.floor(startsAt / 1000);
  return lasts ? { start, end: new Date(endsAt) } : { start };
}

const STATUSES: Readonly<Record<string, ICalEventStatus>> = {
  cancelled: ICalEventStatus.CANCELLED,
  postponed: ICalEventStatus.CANCELLED,
  tentative: ICalEventStatus.TENTATIVE,
};

/**
 * The number is 0 for a post that was never edited, and grows with every edit. Edits are not counted: the seconds
 * between writing and the last edit take their place.
 */
const sequenceOf = (createdAt: number, changedAt: number) => Math.ceil((changedAt - createdAt) / 1000);

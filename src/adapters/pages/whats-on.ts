import { BoardError, FAILURES } from "../../board/failures.ts";
import { isOver } from "../../domain/posts/expiry.ts";
import { DAY_MS } from "../../platform/time.ts";
import type { Post } from "../../schema/post.ts";
import { zoneOf } from "../../schema/time/local-time.ts";
import type { Success } from "../calls/envelope.ts";
import { daysAfter, localDay, localDaysOf, weekdayOf } from "../text/when.ts";
import type { Asked } from "./frame/view.ts";
import { nearOf, type SearchParams } from "./search/form.ts";

/** Where the operator named a home, this word stands for no place. */
export const EVERYWHERE = "everywhere";
/** An event of more days, such as an exhibition, belongs to no single day. */
const LONG_DAYS = 7;
const AHEAD_DAYS = 7;
/**
 * This many pages of a hundred events are read. What began earliest comes first, so a board with many exhibitions needs
 * several.
 */
const PAGES_MAX = 3;

/** Holds the events of one span of days, soonest first. */
export interface OnGroup {
  id: "today" | "weekend" | "week" | "running";
  heading: string;
  events: readonly Post[];
  /** This search finds them all. */
  all: SearchParams;
}

/** Shows what is on from today to a week ahead. */
export interface WhatsOn {
  /** Only those with events; each event stands in the first that fits it. */
  groups: readonly OnGroup[];
  /** The page is about the place asked for, or the home of the board; null stands for everywhere. */
  near: string | null;
  /** These parameters keep a search near the place that the visitor chose; none for the board's home, where much has no place. */
  kept: SearchParams;
  /** Names today, tomorrow, Saturday and Sunday, each with the search for its events. */
  days: readonly { name: string; search: SearchParams }[];
  /** Tells why the place was not understood; then the groups are those of everywhere. */
  refused: BoardError["issues"][number] | null;
}

/**
 * Asks for what is on near the place in the address, else near the board's home, else everywhere.
 * @throws BoardError  any failure but that of an unknown place
 */
export async function whatsOn({ sent, site, now, ask }: Asked): Promise<WhatsOn> {
  const chosen = sent["near"] ?? site.identity.homePlace;
  const near = chosen === null || chosen === EVERYWHERE ? null : chosen;
  const read = async (place: Record<string, string>) => {
    const { events, point } = await eventsAhead(place, now, ask);
    const today = localDay(now, zoneOf({ timezone: null, location: point }));
    return { groups: groupsOf(events, today, now, place), days: daysFrom(today, place) };
  };
  const { radius_km } = sent;
  const place = near === null ? {} : { near, ...(radius_km !== undefined && { radius_km }) };
  try {
    const kept = sent["near"] === undefined ? {} : place;
    return { ...(await read(place)), near, kept, refused: null };
  } catch (error) {
    if (!(error instanceof BoardError) || FAILURES[error.code].status !== 400) throw error;
    return {
      ...(await read({})),
      near: null,
      kept: {},
      refused: error.issues[0] ?? { path: "near", code: error.code, message: error.message },
    };
  }
}

async function eventsAhead(
  place: Record<string, string>,
  now: number,
  ask: Asked["ask"],
): Promise<{ events: Post[]; point: { lat: number; lng: number } | null }> {
  const query = {
    ...place,
    kind: "event",
    sort: "soonest",
    after: new Date(now).toISOString(),
    // Days are told apart below, each in its own zone.
    before: new Date(now + (AHEAD_DAYS + 2) * DAY_MS).toISOString(),
    limit: 100,
  };
  let page: Success = await ask("/search", query);
  const events = page.data as Post[];
  for (let pages = 1; pages < PAGES_MAX && typeof page.next_cursor === "string"; pages += 1) {
    page = await ask("/search", { ...query, cursor: page.next_cursor });
    events.push(...(page.data as Post[]));
  }
  return { events, point: nearOf(page.meta["query"] as Record<string, unknown>) };
}

/**
 * @param today  where the visitor looks, such as `2026-11-25`; each event is held against it by the days of its own zone
 */
function groupsOf(events: readonly Post[], today: string, now: number, place: SearchParams = {}): OnGroup[] {
  const saturday = daysAfter(today, (6 - weekdayOf(today) + 7) % 7);
  const sunday = daysAfter(today, (7 - weekdayOf(today)) % 7);
  const end = daysAfter(today, AHEAD_DAYS);
  const found: Record<OnGroup["id"], Post[]> = { today: [], weekend: [], week: [], running: [] };
  for (const event of events) {
    const days = localDaysOf(event);
    if (days === null || isOver(event, now)) continue;
    const { first, last } = days;
    if (first < today && last >= daysAfter(first, LONG_DAYS)) found.running.push(event);
    else if (first <= today && last >= today) found.today.push(event);
    else if (first <= sunday && last >= saturday) found.weekend.push(event);
    else if (first > today && first <= end) found.week.push(event);
  }
  // What begins today comes before what goes on.
  const begins = (event: Post) => (localDaysOf(event)?.first === today ? 0 : 1);
  found.today.sort((a, b) => begins(a) - begins(b));
  const search = (after: string, before: string) => eventsBetween(after, before, place);
  const groups: OnGroup[] = [
    { id: "today", heading: "Today", events: found.today, all: search(today, today) },
    { id: "weekend", heading: "This weekend", events: found.weekend, all: search(saturday, sunday) },
    { id: "week", heading: "Next 7 days", events: found.week, all: search(today, end) },
    { id: "running", heading: "Running", events: found.running, all: search(today, today) },
  ];
  return groups.filter(({ events: shown }) => shown.length > 0);
}

const eventsBetween = (after: string, before: string, place: SearchParams): SearchParams => ({
  ...place,
  kind: "event",
  after,
  before,
  sort: "soonest",
});

function daysFrom(today: string, place: SearchParams): WhatsOn["days"] {
  const tomorrow = daysAfter(today, 1);
  const saturday = daysAfter(today, (6 - weekdayOf(today) + 7) % 7);
  const sunday = daysAfter(today, (7 - weekdayOf(today)) % 7);
  const named = [
    ["Today", today],
    ["Tomorrow", tomorrow],
    ["Saturday", saturday],
    ["Sunday", sunday],
  ] as const;
  // A weekend is called by its days, even where it begins tomorrow.
  return named
    .filter(([, day], at) => at === 0 || (day !== today && (at > 1 || (day !== saturday && day !== sunday))))
    .map(([name, day]) => ({ name, search: eventsBetween(day, day, place) }));
}

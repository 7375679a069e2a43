import { type Entries, entriesOf } from "../../../src/syndication/entries.ts";
import type { Feed } from "../../../src/syndication/feeds.ts";
import { aFeedOf } from "../boards/feed-source.ts";

/** Feeds are read here at this moment, in Berlin unless another zone is given. */
export const NOW = Date.UTC(2026, 10, 24, 12);

export function read(text: string | Buffer, given: Partial<Feed>): Entries {
  return entriesOf({ bytes: Buffer.from(text), contentType: "" }, aFeedOf(given), NOW);
}

/** The text of a calendar. An event is the lines inside it, with `|` between them. */
export const calendarOf = (...events: string[]) =>
  `BEGIN:VCALENDAR\n${events.map((lines) => `BEGIN:VEVENT\n${lines.replaceAll("|", "\n")}\nEND:VEVENT\n`).join("")}END:VCALENDAR\n`;
export const ics = (...events: string[]) => read(calendarOf(...events), { kind: "ics" });

export const readRows = (...all: object[]) =>
  read(all.map((row) => JSON.stringify(row)).join("\n"), { kind: "jsonl", timezone: "Europe/Berlin" });

/** Title and start of each post, a whole day by its date in the feed's zone, a moment in UTC. */
export function shown({ entries }: Entries): string[] {
  return entries.map(({ input: { title, starts_at: startsAt, timezone, metadata } }) => {
    if (startsAt == null) return title;
    const day = new Intl.DateTimeFormat("en-CA", { timeZone: timezone ?? "UTC" }).format(startsAt);
    return `${title} ${metadata?.["all_day"] === true ? day : new Date(startsAt).toISOString().slice(0, 16)}`;
  });
}

import type { FeedKind } from "../../../src/syndication/kinds/index.ts";
import { PARSERS } from "../../../src/syndication/kinds/parsers.ts";
import { FeedReader } from "../../../src/syndication/read.ts";
import { aFeedOf } from "../boards/feed-source.ts";

const NOW = Date.UTC(2026, 10, 22, 12);

/** What a format reads, before posts are made of it. */
export const parsed = (kind: FeedKind, text: string) => PARSERS[kind](text, { now: NOW, timezone: "UTC" });
/** Reads a feed in a thread, as the board does. */
export const readIn = (kind: FeedKind, text: string, reader = new FeedReader()) =>
  reader.read({
    sent: { bytes: Buffer.from(text), contentType: "" },
    feed: aFeedOf({ kind }),
    now: NOW,
  });

export const eventOf = (...lines: string[]) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"].join("\r\n");
/** The text of a calendar whose zone is that of Berlin. */
export const berlinCalendar = (...parts: string[]) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//test//EN",
    "X-WR-TIMEZONE:Europe/Berlin",
    ...parts,
    "END:VCALENDAR",
    "",
  ].join("\r\n");
export const readEvents = (...parts: string[]) => parsed("ics", berlinCalendar(...parts));

export const iso = (moment: number | null | undefined) =>
  moment == null ? null : new Date(moment).toISOString();

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Entries, entriesOf } from "../../../src/syndication/entries.ts";
import type { Feed } from "../../../src/syndication/feeds.ts";
import { aFeedOf } from "../boards/feed-source.ts";

/** Feeds are read here at this moment, in UTC unless another zone is given. */
export const NOW = Date.UTC(2026, 10, 27, 12);
export const folder = join(import.meta.dirname, "../texts/feeds-2");

export const read = (text: string | Buffer, given: Partial<Feed> = {}): Entries =>
  entriesOf({ bytes: Buffer.from(text), contentType: "" }, aFeedOf({ timezone: "UTC", ...given }), NOW);
/** Reads a file of the folder. */
export const file = (name: string, kind: Feed["kind"] = "ics") =>
  read(readFileSync(join(folder, name)), { kind });

/** The text of a JSON Lines feed. */
export const rows = (...all: object[]) =>
  all.map((row, n) => JSON.stringify({ id: `${n}`, title: "Fair", ...row })).join("\n");
/** The lines of an event, which has a title. */
export const event = (...lines: string[]) => [
  "BEGIN:VEVENT",
  "UID:a@x",
  "SUMMARY:Quiz",
  ...lines,
  "END:VEVENT",
];
export const calendar = (...lines: string[]) => ["BEGIN:VCALENDAR", ...lines, "END:VCALENDAR"].join("\r\n");

export const inputs = ({ entries }: Entries) => entries.map(({ input }) => input);
export const titles = (found: Entries) => inputs(found).map(({ title }) => title);
export const starts = ({ entries }: Entries) =>
  entries.map(({ input }) =>
    input.starts_at == null ? null : new Date(input.starts_at).toISOString().slice(0, 16),
  );

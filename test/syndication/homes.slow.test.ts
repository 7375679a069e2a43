import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FeedKind } from "../../src/syndication/kinds/index.ts";
import { activePosts, addFeed, type FeedSource, startFeedSource } from "../support/boards/feed-source.ts";
import { useTestBoard } from "../support/boards/use.ts";

const folder = join(import.meta.dirname, "../support/texts/feeds-2");
const KINDS: Readonly<Record<string, FeedKind>> = { xml: "cap" };

/** The posts of each file whose hours are those of its home: title, and day of December and hour there; `Z` is UTC. */
const POSTS: Readonly<Record<string, readonly string[]>> = {
  "01-mixed-case-property.ics": ["Choir evening 12 18:00", "Harp evening 12 18:00"],
  "02-raw-lines-in-description.ics": ["Ceilidh 12 19:00", "Yoga taster 12 19:00"],
  "03-line-separator.ics": ["Lantern walk with soup 12 17:00", "Seed swap 12 17:00"],
  "04-tzid-with-colon.ics": ["Talk on hedges 12 09:00"],
  "05-html-link.ics": ["Lantern walk 12 17:00"],
  "06-online-link.ics": ["Webinar on bees 12 17:00", "Webinar on wasps 12 19:00"],
  "07-quoted-printable.ics": ["Kürbisfest 12 17:00"],
  // Every day but those of a weekend.
  "08-exrule.ics": ["07", "08", "09", "10", "11", "14", "15", "16"].map((day) => `Open studio ${day} 08:00`),
  "09-tentative.ics": ["Summer fête (date to be confirmed) 12 17:00"],
  "12-two-infos.cap.xml": ["Wind warning"],
  "12b-first-info-past.cap.xml": ["Wind on Sunday"],
  "13-restricted.cap.xml": [],
  "14-error.cap.xml": [],
  "14b-message-type.atom.xml": [],
  "16-weather.geojson": ["Snow storm 12 12:00"],
  "17-events.geojson": ["Gig 12 19:00"],
  "18-cancelled.jsonl": [],
  "19-letter-case.jsonl": ["Fair 12 10:00"],
  "20-23-news.rss": ["Council, live", "Episode", "Only an atom:link", "Opening hours", "Place in GML"],
  "49-own-zone.ics": ["Quiz 12 19:00Z"],
  "50-time-with-a-point.jsonl": ["Quiz 12 19:30", "Quiz two 12 19:30"],
  "53-unreadable-start.jsonl": ["Fair with its hour apart 12 19:00"],
};

describe.each(["Pacific/Auckland", "America/Sao_Paulo", "Asia/Kolkata"])(
  "feeds at home in %s",
  (timezone) => {
    let now = Date.UTC(2026, 10, 27, 12);
    const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => now, idle: true });
    let source: FeedSource;
    beforeAll(async () => {
      source = await startFeedSource();
    });
    afterAll(() => source.close());

    const clock = new Intl.DateTimeFormat("sv", {
      timeZone: timezone,
      dateStyle: "short",
      timeStyle: "short",
    });
    const at = (ms: number) => clock.format(ms).slice("2026-12-".length);

    it.each(readdirSync(folder))("are posted at their own hours, and stay so: %s", async (name) => {
      const text = readFileSync(join(folder, name), "utf8")
        .replace(/^(DT\w+|EXDATE):(\d{8}T\d{6})Z/gm, `$1;TZID=${timezone}:$2`)
        .replace(/(\d\dT\d\d:\d\d:\d\d)Z"/g, '$1"')
        .replace("America/New_York", timezone);
      source.serve(`/${name}`, text);
      const ending = name.split(".").at(-1) ?? "";
      const kind = KINDS[ending] ?? (ending as FeedKind);
      const { feed, publisher } = await addFeed(board, `${source.origin}/${name}`, { kind, timezone });
      await board.board.syndication.poll(feed);
      const posts = await activePosts(board, publisher);
      const shown = posts.map(({ title, startsAt }) =>
        startsAt === null ? title : `${title} ${at(startsAt)}`,
      );
      const wanted = POSTS[name]?.map((post) =>
        post.replace(/(\d\d) (\S+Z)$/, (_, day, hour) => at(Date.parse(`2026-12-${day}T${hour}`))),
      );
      expect(shown.sort()).toEqual(wanted);
      now += 25 * 3_600_000;
      expect(await board.board.syndication.poll(feed)).toMatchObject({ added: 0, changed: 0, retired: 0 });
      now -= 25 * 3_600_000;
    });
  },
);

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Conference, conferencePost } from "./conferences.ts";

/** A feed that travels with the package: real conferences, with dates that move on as time passes. */
export const DEMO_FEED = {
  /** Names it among the feeds of a board; nothing is fetched. */
  url: "agent-board:demo",
  name: "tech-conferences/conference-data (demo)",
  license: "MIT",
  description:
    "Technology conferences from the community list tech-conferences/conference-data (MIT licence), as a demo: dates may be moved. Places by GeoNames (CC BY 4.0).",
  home: "https://github.com/tech-conferences/conference-data",
} as const;

const WEEK_MS = 7 * 86_400_000;
/** The list holds what ends on this day or later. */
const LISTED = Date.UTC(2026, 10, 20);

/**
 * The demo as JSON Lines for a feed of the kind `jsonl`. Whole weeks move its dates, so that it looks on any day as it did
 * when it was listed, and a post whose dates are not the source's says so.
 */
export function demoFeed(now: number): string {
  const weeks = Math.max(0, Math.floor((now - LISTED) / WEEK_MS));
  return rows()
    .map((row) => JSON.stringify(rowOf(row, weeks)))
    .join("\n");
}

function rowOf(listed: Conference, weeks: number): object {
  const { idempotency_key: _key, ...post } = conferencePost(moved(listed, weeks));
  const said = weeks === 0 ? "" : `\nThis is demo data: its dates are moved by ${weeks} weeks.`;
  return {
    ...post,
    body: `${post.body}${said}`,
    tags: ["demo", ...(post.tags ?? [])],
    // The same however far its dates are moved.
    source_id: (conferencePost(listed).metadata as Record<string, unknown>)["source_id"],
    all_day: true,
  };
}

function moved(conference: Conference, weeks: number): Conference {
  const later = (date: string) =>
    new Date(Date.parse(date) + weeks * WEEK_MS).toISOString().slice(0, "YYYY-MM-DD".length);
  const { startDate, endDate, cfpEndDate } = conference;
  return {
    ...conference,
    startDate: later(startDate),
    endDate: later(endDate),
    ...(cfpEndDate === undefined ? {} : { cfpEndDate: later(cfpEndDate) }),
  };
}

function rows(): Conference[] {
  // Beside this file in a clone, in the package's own folder from a build.
  const beside = join(import.meta.dirname, "conferences.jsonl");
  const file = existsSync(beside) ? beside : join(import.meta.dirname, "../../demo/conferences.jsonl");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => Conference.parse(JSON.parse(line)));
}

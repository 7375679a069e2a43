import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A feed that comes with the package: real conferences, whose dates move on as time passes. */
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
/** Nearly all conferences of the file end on this day or later. */
const LISTED = Date.UTC(2026, 10, 20);

/** A line of the file: an entry of a feed of the kind `jsonl`. Both dates are days, `YYYY-MM-DD`. */
interface Row {
  body: string;
  starts_at: string;
  ends_at: string;
}

/**
 * The demo as the text of a feed of the kind `jsonl`. All dates are moved by the same number of whole weeks, so that as much
 * lies ahead as on the day when the conferences were listed. A post with moved dates says so.
 */
export function demoFeed(now: number): string {
  const weeks = Math.max(0, Math.floor((now - LISTED) / WEEK_MS));
  const moved = (day: string) =>
    new Date(Date.parse(day) + weeks * WEEK_MS).toISOString().slice(0, "YYYY-MM-DD".length);
  const notice =
    weeks === 0
      ? ""
      : `\nThis is demo data: its dates are moved by ${weeks === 1 ? "a week" : `${weeks} weeks`}.`;
  return rows()
    .map((row) => ({
      ...row,
      body: `${row.body}${notice}`,
      starts_at: moved(row.starts_at),
      ends_at: moved(row.ends_at),
    }))
    .map((row) => JSON.stringify(row))
    .join("\n");
}

function rows(): Row[] {
  // In a clone the file is beside this module, in a build in the package's own folder.
  const beside = join(import.meta.dirname, "conferences.jsonl");
  const file = existsSync(beside) ? beside : join(import.meta.dirname, "../../demo/conferences.jsonl");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Row);
}

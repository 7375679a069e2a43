/**
 * What does it cost to know places and dates? Memory and time to open the gazetteer, time of a look-up, and the same for the
 * parser of days in words.
 *
 *   npx tsx bench/gazetteer/look-up.ts
 */

import { daysInText } from "../../src/domain/search/understood/times.ts";
import { openPlaces } from "../../src/gazetteer/file.ts";
import { placeInText } from "../../src/gazetteer/in-text.ts";
import { resolvePlace, suggestPlaces } from "../../src/gazetteer/index.ts";

const NAMES =
  "Berlin|Kreuzberg, Berlin|Portland, OR|東京|Springfield|St. Louis|Café Kino, Leipzig|San Jose|Berlin Kreuzberg|Peckham".split(
    "|",
  );
const QUERIES = [
  "free jazz near Berlin this weekend",
  "room to rent in Kreuzberg from January",
  "a second-hand bike",
  "Flohmarkt in der Nähe von Leipzig nächstes Wochenende",
];
/** Each needs the parser of its language; English comes first and brings what all of them share. */
const DAYS = {
  English: "concert tomorrow",
  German: "Konzert übermorgen",
  Dutch: "concert vanavond",
  French: "concert demain",
  Spanish: "concierto mañana",
  Italian: "concerto stasera",
  Portuguese: "concerto amanhã",
};
const NOW = Date.parse("2026-12-10T12:00:00Z");
const ROUNDS = 200;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

async function timed(what: string, runs: readonly (() => unknown)[]): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const run of runs) {
      const start = performance.now();
      await run();
      times.push(performance.now() - start);
    }
  }
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(3)} ms`;
  console.log(`${what}: p50 ${at(0.5)}, p99 ${at(0.99)}`);
}

let start = performance.now();
const table = openPlaces();
console.log(
  `gazetteer: ${table.size} places, ${megabytes(table.bytes)}, opened in ${(performance.now() - start).toFixed(0)} ms`,
);
for (const [language, text] of Object.entries(DAYS)) {
  const before = process.memoryUsage().rss;
  start = performance.now();
  await daysInText(text, NOW, 60);
  const [resident, took] = [process.memoryUsage().rss - before, performance.now() - start];
  console.log(`days, ${language}: ${megabytes(resident)} resident, first use ${took.toFixed(0)} ms`);
}
await timed(
  "a name",
  NAMES.map((name) => () => resolvePlace(name)),
);
await timed(
  "a place in a query whose words were in another before",
  QUERIES.map((q) => () => placeInText(q)),
);
await timed(
  "days in a query",
  QUERIES.map((q) => () => daysInText(q, NOW, 60)),
);
await timed("suggestions", [() => suggestPlaces("ber"), () => suggestPlaces("san fr")]);

/**
 * What does it cost to find the towns with the most posts? Processor time to look at the place of every post, and to name
 * the towns, which is done in turns; it does not depend on other load.
 *
 *   npx tsx bench/gazetteer/top-places.ts [posts = 30000,1000000]
 */
import { DatabaseSync } from "@photostructure/sqlite";
import { topPlaces } from "../../src/domain/board/top-places.ts";
import { filterOf } from "../../src/domain/search/query.ts";
import type { IndexEntry } from "../../src/ports/search-index.ts";
import { EmbeddedIndex } from "../../src/search-index/index.ts";
import { CITIES } from "../board/cities.ts";
import { machine, ms, table } from "../support/measure.ts";
import { seeded, weightedPlaces } from "../support/random.ts";

const NOW = Date.UTC(2026, 10, 22);
const ROUNDS = 20;
/** Posts lie within a sixth of a degree of one of these. */
const TOWNS = [...CITIES].sort((a, b) => b.population - a.population).slice(0, 2_000);

const POST: Omit<IndexEntry, "id" | "title" | "lat" | "lng" | "createdAt" | "windowStart"> = {
  kind: "offer",
  body: "",
  tags: [],
  placeName: null,
  windowEnd: NOW + 1,
  expiresAt: NOW + 1,
  publisherId: "pub_1",
  parentId: null,
  syndicated: false,
  source: null,
};

const counts = (process.argv[2] ?? "30000,1000000").split(",").map(Number);
const rows = [];
for (const count of counts) rows.push(await measure(count));
console.log(`${ROUNDS} rounds; ${machine()}\n`);
console.log(table(["posts", "places of all posts, CPU ms", "names of towns, CPU ms", "towns"], rows));

async function measure(count: number): Promise<string[]> {
  const index = filled(count);
  const all = { filter: filterOf({}, NOW), words: null, vector: null, minCosine: 0 };
  // The first question fills the memory, and opens the gazetteer.
  const towns = await topPlaces(index, NOW);
  const looking = await cpuMs(() => index.spots(all, 1_000));
  const whole = await cpuMs(() => topPlaces(index, NOW));
  await index.close();
  return [count.toLocaleString("en"), ms(looking), ms(whole - looking), String(towns.length)];
}

/** Processor time of a round. */
async function cpuMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / ROUNDS;
}

/** An index in memory, with posts at the largest towns of the world, more at larger ones. */
function filled(count: number): EmbeddedIndex {
  const random = seeded(1);
  const town = weightedPlaces(TOWNS.map((_, rank) => 1 / (rank + 5)));
  const database = new DatabaseSync(":memory:");
  const index = new EmbeddedIndex({ modelId: null, dimension: 16 }, { threadFrom: Number.POSITIVE_INFINITY });
  for (const statement of index.migrations) database.exec(statement);
  index.attach(database);
  database.exec("BEGIN");
  for (let n = 0; n < count; n += 1) {
    const [lng = 0, lat = 0] = TOWNS[town(random)]?.loc.coordinates ?? [];
    index.put({
      ...POST,
      id: `p${n}`,
      title: `Notice ${n % 997}`,
      lat: lat + (random() - 0.5) / 3,
      lng: lng + (random() - 0.5) / 3,
      createdAt: NOW - n,
      windowStart: NOW - n,
    });
  }
  database.exec("COMMIT");
  index.committed();
  return index;
}

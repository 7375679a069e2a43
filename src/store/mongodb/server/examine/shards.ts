import { type Document, MongoServerError } from "mongodb";
import { type Finding, passed, warning } from "../../../../ports/finding.ts";
import { COLLECTIONS } from "../../schema/collections.ts";
import type { Documents } from "../../schema/documents.ts";
import { MOVED_TOGETHER, SHARD_KEYS } from "../../schema/shards.ts";
import type { MongodbConnection } from "../connection.ts";

/**
 * Documents and indexes of all unsharded collections. 130,000 saved queries with a month of answers have as many, and take a
 * third of the cache of a machine with 8 GB, which each shard wants for its posts. With fewer, a move costs more than it frees.
 */
const CROWDED_BYTES = 2e9;
/** MongoDB 8.0, the first with `moveCollection`. */
const WIRE_VERSION_OF_MOVES = 25;
const UNAUTHORIZED = 13;
const MB = 1e6;

type Name = keyof Documents;

/** A collection's part on one shard: bytes of its documents, uncompressed, and of its indexes on the disk. */
interface Part {
  shard: string;
  bytes: number;
}
export type Parts = ReadonlyMap<Name, readonly Part[]>;

/** Looks where the collections of a sharded cluster lie. */
export async function* examineShards(connection: MongodbConnection): AsyncIterable<Finding> {
  const { db, wireVersion } = connection;
  let parts: Parts;
  try {
    parts = await partsOf(connection);
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== UNAUTHORIZED) throw error;
    yield passed("shards", "not looked at: this user may not (collStats on its database)");
    return;
  }
  yield shardedFinding(parts, db.databaseName);
  yield unshardedFinding(parts, db.databaseName, wireVersion >= WIRE_VERSION_OF_MOVES);
}

async function partsOf({ db, run }: MongodbConnection): Promise<Parts> {
  const found = await run(() =>
    Promise.all(
      COLLECTIONS.map(async (name): Promise<[Name, Part[]]> => {
        // One document for each shard that holds a part.
        const stats = await db
          .collection(name)
          .aggregate<Document>([{ $collStats: { storageStats: {} } }])
          .toArray();
        return [name, stats.map(partOf)];
      }),
    ),
  );
  return new Map(found);
}

const partOf = ({ shard, storageStats: { size, totalIndexSize } }: Document): Part => ({
  shard: String(shard),
  bytes: Number(size) + Number(totalIndexSize),
});

function shardedFinding(parts: Parts, database: string): Finding {
  const sharded = Object.entries(SHARD_KEYS) as [Name, object][];
  const counts = sharded.map(([name]) => `${name} on ${parts.get(name)?.length ?? 0}`).join(", ");
  const commands = sharded
    .filter(([name]) => (parts.get(name)?.length ?? 0) < 2)
    .map(([name, key]) => `sh.shardCollection("${database}.${name}", ${JSON.stringify(key)})`);
  return commands.length === 0
    ? passed("shards", counts)
    : warning("shards", `${counts}; to spread them: ${commands.join("; ")}`);
}

/**
 * Says where the unsharded collections lie, and which of them may move or must follow. Those of `MOVED_TOGETHER` belong
 * with the first of them, the others with `publishers`; so it tells the rest of a move, or of its undoing.
 */
export function unshardedFinding(parts: Parts, database: string, canMove: boolean): Finding {
  const about = "unsharded";
  const moved = (name: Name) => MOVED_TOGETHER.includes(name);
  const [first] = MOVED_TOGETHER;
  const unsharded = [
    ...COLLECTIONS.filter((name) => !(name in SHARD_KEYS) && !moved(name)),
    ...MOVED_TOGETHER,
  ];
  const there = unsharded.flatMap((name) => parts.get(name) ?? []);
  const shardOf = (name: Name) => parts.get(name)?.[0]?.shard ?? "";
  const homeOf = (name: Name) => shardOf(moved(name) ? first : "publishers");
  const text = placesText(there);
  const strays = unsharded.filter((name) => shardOf(name) !== homeOf(name));
  if (strays.length > 0) {
    const commands = [...new Set(strays.map(homeOf))].map((shard) =>
      moveCommand(
        database,
        strays.filter((name) => homeOf(name) === shard),
        shard,
      ),
    );
    return warning(about, `${text}; some are apart from what is written with them: ${commands.join("; ")}`);
  }
  const home = shardOf("publishers");
  const target = emptiest([...parts.values()].flat(), home);
  if (!canMove || target === null || shardOf(first) !== home) return passed(about, text);
  const command = moveCommand(database, MOVED_TOGETHER, target);
  return sum(there) < CROWDED_BYTES
    ? passed(about, `${text}; these may move, and need not: ${command}`)
    : warning(about, `${text}, much for one shard; to move a part: ${command}`);
}

function placesText(parts: readonly Part[]): string {
  const shards = [...new Set(parts.map(({ shard }) => shard))];
  return shards
    .map((shard) => {
      const there = parts.filter((part) => part.shard === shard);
      return `${there.length} collections on ${shard}, ${(sum(there) / MB).toFixed(1)} MB`;
    })
    .join("; ");
}

/** The shard other than `home` with the fewest bytes of this board; null when there is none. */
function emptiest(parts: readonly Part[], home: string): string | null {
  const others = [...new Set(parts.map(({ shard }) => shard))].filter((shard) => shard !== home).sort();
  const bytesOn = (shard: string) => sum(parts.filter((part) => part.shard === shard));
  return others.sort((a, b) => bytesOn(a) - bytesOn(b))[0] ?? null;
}

const sum = (parts: readonly Part[]): number => parts.reduce((bytes, part) => bytes + part.bytes, 0);

/** For mongosh. */
const moveCommand = (database: string, names: readonly Name[], shard: string): string =>
  `for (const name of ${JSON.stringify(names)}) sh.moveCollection("${database}." + name, "${shard}")`;

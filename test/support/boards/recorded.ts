import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { BSON, type Db, type Document } from "mongodb";

const FOLDER = join(import.meta.dirname, "../../recorded/boards");

/** The recordings were made a moment before: by a clock that shows this, none of their posts is over. */
export const RECORDED_AT = Date.UTC(2026, 10, 27, 10);

/** The path of a recording of an earlier release. */
export const recorded = (name: string): string => join(FOLDER, name);

/** The recorded board's secret key, the keys of its publishers, and the ids of its posts in the order of writing. */
export function recordedKeys(release: string): {
  secret_key: string;
  keys: Record<"allotment" | "bikes" | "choir", string>;
  ids: (string | null)[];
} {
  return JSON.parse(readFileSync(recorded(`${release}.keys.json`), "utf8"));
}

export const unzipped = (name: string): Buffer => gunzipSync(readFileSync(recorded(name)));

/** Puts the recorded documents into an empty database, without the indexes, which a start of that release made. */
export async function restoreDocuments(db: Db, name: string): Promise<void> {
  for (const line of unzipped(name).toString("utf8").trimEnd().split("\n")) {
    for (const [collection, document] of Object.entries(BSON.EJSON.parse(line) as Record<string, Document>))
      await db.collection(collection).insertOne(document);
  }
}

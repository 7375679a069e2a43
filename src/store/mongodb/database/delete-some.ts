import type { Collection, Filter, Sort } from "mongodb";

/** Documents deleted by one command, so that none keeps the server busy for long. */
const DOCUMENTS_PER_STEP = 2000;

/**
 * Deletes at most `limit` documents in bounded steps, outside any transaction; resolves to how many. After a crash, every
 * completed step holds.
 */
export async function deleteSome<Document extends { _id: string }>(
  collection: Collection<Document>,
  filter: Filter<Document>,
  { limit = Number.POSITIVE_INFINITY, sort = {} }: { limit?: number; sort?: Sort } = {},
): Promise<number> {
  let deleted = 0;
  while (deleted < limit) {
    const size = Math.min(DOCUMENTS_PER_STEP, limit - deleted);
    const found = await collection.find(filter, { projection: { _id: 1 }, sort, limit: size }).toArray();
    if (found.length === 0) break;
    const ids = found.map(({ _id }) => _id);
    const { deletedCount } = await collection.deleteMany({
      ...filter,
      _id: { $in: ids },
    } as Filter<Document>);
    deleted += deletedCount;
    if (found.length < size) break;
  }
  return deleted;
}

import type { Store } from "../../../src/ports/store/index.ts";
import { aPost, aPublisher } from "../search/rows.ts";

/** Writes a publisher and its posts, `p0` and on, into a store without them at once, as an import does. */
export function fillStore(store: Store, count: number, publisherId = "pub_a"): Promise<void> {
  const publisher = { ...aPublisher(publisherId, { postCount: count }), inboxNo: 0 };
  const posts = Array.from({ length: count }, (_, n) => ({
    ...aPost(`p${n}`, { publisherId }),
    removedAt: null,
    embedding: null,
  }));
  return store.transfer.write(
    [
      { kind: "publisher", rows: [publisher] },
      { kind: "post", rows: posts },
    ],
    { name: "filled", from: null, to: "yes" },
  );
}

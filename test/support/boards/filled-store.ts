import type { Store } from "../../../src/ports/store/index.ts";
import { aPost, aPublisher } from "../search/rows.ts";

/** Writes a publisher, `pub_a`, and its posts, `p0` and on, into an empty store at once, as an import does. */
export function fillStore(store: Store, count: number): Promise<void> {
  const publisher = { ...aPublisher("pub_a", { postCount: count }), inboxNo: 0 };
  const posts = Array.from({ length: count }, (_, n) => ({
    ...aPost(`p${n}`),
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

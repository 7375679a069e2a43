import { parseInput } from "../../src/adapters/calls/input.ts";
import type { OpenBoard } from "../../src/open-board.ts";
import type { StoredPublisher } from "../../src/ports/store/index.ts";
import type { PostInput } from "../../src/schema/post.ts";
import createPost from "../../tools/create_post.ts";

/** Posts written side by side: they share commits. */
const BATCH = 64;

/** Registers a publisher directly, past the rate limits. */
export async function newPublisher({ services, store, clock }: OpenBoard): Promise<StoredPublisher> {
  const { id } = await services.publishers.register({ name: "Bench", accept_terms: true }, clock());
  const publisher = await store.publishers.get(id);
  if (publisher === null) throw new Error("a publisher of the bench is gone");
  return publisher;
}

/** Writes posts of the wire directly, past the rate limits; resolves to their ids, in order. */
export async function writePosts(
  { services, clock }: OpenBoard,
  publisher: StoredPublisher,
  posts: readonly Record<string, unknown>[],
): Promise<string[]> {
  const inputs = posts.map((sent) => parseInput(createPost, sent, "body").input as PostInput);
  const ids: string[] = [];
  for (let at = 0; at < inputs.length; at += BATCH) {
    const written = await Promise.all(
      inputs
        .slice(at, at + BATCH)
        .map((input) => services.writing.create(input, publisher, clock(), { relayed: true })),
    );
    ids.push(...written.map(({ data }) => data.id));
  }
  return ids;
}

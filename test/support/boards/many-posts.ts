import type { PostInput } from "../../../src/schema/post.ts";
import { prose } from "../texts/prose.ts";
import type { TestBoard } from "./board.ts";
import { register } from "./client.ts";

/** A store may write the posts of one publisher one after another, and gives up after 10 s: few of each wait at once. */
const PUBLISHERS = 10;
const AT_ONCE = 2 * PUBLISHERS;

/**
 * Writes many posts at the board's present time, past the limits and the guard against repetition. Resolves to
 * their ids, in order.
 */
export async function writeMany(board: TestBoard, posts: readonly Partial<PostInput>[]): Promise<string[]> {
  const { store, services, clock } = board.board;
  const registered = await Promise.all(Array.from({ length: PUBLISHERS }, () => register(board)));
  const publishers = await Promise.all(registered.map(({ id }) => store.publishers.get(id)));
  const ids: string[] = [];
  for (let from = 0; from < posts.length; from += AT_ONCE) {
    const written = posts.slice(from, from + AT_ONCE).map((post, n) => {
      const publisher = publishers[n % PUBLISHERS];
      if (!publisher) throw new Error("the publisher is gone");
      const input = { title: "A notice", body: prose(), ...post } as PostInput;
      return services.writing.create(input, publisher, clock(), { relayed: true });
    });
    for (const { data } of await Promise.all(written)) ids.push(data.id);
  }
  return ids;
}

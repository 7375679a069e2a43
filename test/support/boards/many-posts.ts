import type { PostInput } from "../../../src/schema/post.ts";
import { prose } from "../texts/prose.ts";
import type { TestBoard } from "./board.ts";
import { register } from "./client.ts";

/**
 * Writes many posts of one publisher at the board's present time, past the limits and the guard against repetition, a
 * hundred at once. Resolves to their ids, in order.
 */
export async function writeMany(board: TestBoard, posts: readonly Partial<PostInput>[]): Promise<string[]> {
  const { store, services, clock } = board.board;
  const publisher = await store.publishers.get((await register(board)).id);
  if (publisher === null) throw new Error("the publisher is gone");
  const ids: string[] = [];
  for (let from = 0; from < posts.length; from += 100) {
    const written = posts.slice(from, from + 100).map((post) => {
      const input = { title: "A notice", body: prose(), ...post } as PostInput;
      return services.writing.create(input, publisher, clock(), { relayed: true });
    });
    for (const { data } of await Promise.all(written)) ids.push(data.id);
  }
  return ids;
}

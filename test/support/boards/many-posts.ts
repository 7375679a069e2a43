import { newPostId } from "../../../src/domain/secrets.ts";
import { DAY_MS } from "../../../src/platform/time.ts";
import type { StoredPost } from "../../../src/ports/store/index.ts";
import type { PostInput } from "../../../src/schema/post.ts";
import { aPost, BARE } from "../search/rows.ts";
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
  const publishers = await Promise.all((await registerMany(board)).map((id) => store.publishers.get(id)));
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

/** As `writeMany`, of rows as the store keeps them: for tests that read posts, in a fraction of the time. */
export async function insertMany(board: TestBoard, posts: readonly Partial<StoredPost>[]): Promise<string[]> {
  const publishers = await registerMany(board);
  const rows = posts.map((post, n) =>
    aRow(board, { publisherId: publishers[n % PUBLISHERS] ?? "", ...post }),
  );
  for (let from = 0; from < rows.length; from += AT_ONCE)
    await Promise.all(rows.slice(from, from + AT_ONCE).map((row) => board.board.store.posts.insert(row)));
  return rows.map(({ id }) => id);
}

/** A post of the board's present time as the store keeps it, with a text of its own and nothing else but what `fields` say. */
export function aRow({ board }: TestBoard, fields: Partial<StoredPost>): StoredPost {
  const now = board.clock();
  const end = fields.endsAt ?? fields.startsAt ?? now;
  const times = { createdAt: now, updatedAt: now, expiresAt: Math.max(now, end) + 30 * DAY_MS };
  return aPost(newPostId(null), { ...BARE, title: "A notice", body: prose(), ...times, ...fields });
}

const registerMany = async (board: TestBoard): Promise<string[]> =>
  (await Promise.all(Array.from({ length: PUBLISHERS }, () => register(board)))).map(({ id }) => id);

import { beforeAll, describe, expect, it } from "vitest";
import { quantize } from "../../src/search/ranking/vectors.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { getPage } from "../support/texts/html.ts";

const MINUTE_MS = 60_000;

describe("related posts of get_post", () => {
  let author: { id: string; key: string };
  let now = Date.UTC(2026, 10, 20, 12);
  let writers = 0;
  const board = useTestBoard({}, { clock: () => now });
  beforeAll(async () => {
    author = await register(board);
  });

  /** Writes a post whose meaning is `degrees` away from that of the post itself, by a publisher of its own. */
  const near = async (degrees: number, fields: object = {}) => {
    writers += 1;
    const by = degrees === 0 ? author : await register(board, `Writer ${writers}`);
    const post = await write(board, by.key, fields);
    await giveMeaning(post.id, degrees);
    return { id: post.id as string, by };
  };
  const giveMeaning = async (id: string, degrees: number) => {
    const { embedder, store } = board.board;
    const { updatedAt = 0 } = (await store.posts.get(id)) ?? {};
    const angle = (degrees * Math.PI) / 180;
    // Each direction takes half of the dimensions, since one byte of a vector cannot hold a 1.
    const half = embedder.dimension / 2;
    const vector = Float32Array.from(
      { length: embedder.dimension },
      (_, at) => (at < half ? Math.cos(angle) : Math.sin(angle)) / Math.sqrt(half),
    );
    await store.posts.setVectors([{ id, updatedAt, model: embedder.modelId, vector: quantize(vector) }]);
  };
  const relatedTo = async (id: string): Promise<string[]> => {
    const { body } = await call(board, `GET /posts/${id}`);
    return body.data.related.map((post: { id: string }) => post.id);
  };

  /** The related posts, once there are so many: they follow changes a moment later. */
  const soon = (id: string, count: number) =>
    eventually(
      () => relatedTo(id),
      (found) => found.length === count,
    );

  it("hold of a series only the next date", async () => {
    const { id } = await near(0, { title: "A place to stretch" });
    const { key } = await register(board, "Yoga Loft");
    const dates = [];
    for (const day of ["2026-12-08", "2026-12-01", "2026-12-15"]) {
      const { id: date } = await write(board, key, { title: "Yoga", starts_at: `${day}T18:00:00Z` });
      await giveMeaning(date, 10);
      dates.push(date);
    }
    await soon(id, 1);
    const [page, markdown] = [await getPage(board, `/p/${id}`), await getPage(board, `/p/${id}.md`)];
    expect(page.text.split("<h2>Related</h2>")[1]).toContain(`<a href="/p/${dates[1]}">Yoga</a>`);
    expect(markdown.text).toContain(`\n## Related\n\n1. \`${dates[1]}\``);
    const { body } = await call(board, `GET /posts/${id}`);
    const starts_at = ["2026-12-08T18:00:00.000Z", "2026-12-15T18:00:00.000Z"];
    expect(body.data.related).toMatchObject([{ id: dates[1], also_on: { starts_at, more: 0 } }]);
    // Those of the others that follow are none of these.
    for (const date of dates) await call(board, `DELETE /posts/${date}`, undefined, { key });
    await call(board, `DELETE /posts/${id}`, undefined, author);
  });

  it("are the five closest top-level posts at any moment, without those that go", async () => {
    const { id } = await near(0);
    const others = [];
    for (const degrees of [10, 15, 20, 25, 30, 35, 40, 45]) others.push(await near(degrees));
    const ids = others.map((other) => other.id);
    const five = (from: number) => ids.slice(from, from + 5);
    const reply = await near(2, { parent_id: id });
    await eventually(
      () => board.board.index.ask("vectors", [...ids, reply.id]),
      (vectors) => !vectors.includes(null),
    );
    expect(await relatedTo(id)).toEqual(five(0));
    // A reply leads to other posts than the one it answers.
    expect(await relatedTo(reply.id)).toEqual(five(0));

    await call(board, `DELETE /posts/${ids[0]}`, undefined, others[0]?.by);
    expect(await soon(id, 5)).toEqual(five(1));
    await board.board.services.moderation.act("hide", ids[1] ?? "", "test", now);
    expect(await soon(id, 5)).toEqual(five(2));
    await board.board.services.moderation.act("suspend", others[2]?.by.id ?? "", "test", now);
    expect(await relatedTo(id)).not.toContain(ids[2]);
    expect(await soon(id, 5)).toEqual(five(3));

    const closer = await near(5);
    await eventually(
      () => board.board.index.ask("vectors", [closer.id]),
      ([vector]) => vector !== null,
    );
    expect(await relatedTo(id)).toEqual([closer.id, ...ids.slice(3, 7)]);
  });

  it("follow an edited text at once, and leave out posts that expired", async () => {
    const { id } = await near(0);
    const brief = await near(1, { expires_at: new Date(now + MINUTE_MS / 2).toISOString() });
    expect(await soon(id, 5)).toContain(brief.id);
    now += MINUTE_MS / 2;
    expect(await relatedTo(id)).not.toContain(brief.id);
    await call(board, `PATCH /posts/${id}`, { body: "About something else" }, author);
    expect(await soon(id, 0)).toEqual([]);
  });
});

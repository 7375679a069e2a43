import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ON_MONGODB, startBoard } from "../../support/boards/board.ts";
import { call, register } from "../../support/boards/client.ts";
import { insertMany } from "../../support/boards/many-posts.ts";
import { useTestBoard } from "../../support/boards/use.ts";
import { found, prose, walk, write } from "../../support/boards/writing.ts";
import { mcpClient } from "../../support/clients/mcp-clients.ts";

const DAY_MS = 86_400_000;
const WAYS = ["q=walrus", "q=walrus&rerank=false", "sort=newest", "sort=soonest"] as const;

describe("pages of a search", () => {
  let author: { id: string; key: string };
  let now = Date.UTC(2026, 10, 20, 12);
  let tags = 0;
  const idsOf = (posts: { id: string }[]) => posts.map((post) => post.id);
  /** Writes posts under their own tag; resolves to the tag and their ids. */
  const seed = async (count: number): Promise<{ tag: string; ids: string[] }> => {
    tags += 1;
    now += 2 * 3_600_000; // spaced out, so that similar posts are not a storm of duplicates
    const tag = `walk${tags}`;
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      now += n % 3 === 0 ? 0 : 1_000; // every third is as old as the one before
      ids.push((await add(tag, n)).id);
    }
    return { tag, ids };
  };
  let written = 0;
  const add = (tag: string, n: number) => {
    written += 1;
    return write(board, author.key, {
      title: "walrus ".repeat(1 + (n % 4)).trim(),
      // With one page they would be the dates of a series.
      url: `https://example.org/walks/${written}`,
      tags: [tag],
      kind: "event",
      starts_at: new Date(now + (1 + (n % 5)) * DAY_MS).toISOString(),
    });
  };

  const board = useTestBoard({}, { clock: () => now });
  beforeAll(async () => {
    author = await register(board);
  });

  it("return each match once and none twice, whatever the page size", async () => {
    const { tag, ids } = await seed(13);
    for (const way of WAYS) {
      const all = idsOf(await found(board, `/search?${way}&tags=${tag}&limit=100`));
      expect([...all].sort(), way).toEqual([...ids].sort());
      for (const limit of [1, 2, 5, 12, 13, 14]) {
        expect(idsOf(await walk(board, `/search?${way}&tags=${tag}&limit=${limit}`)), way).toEqual(all);
      }
    }
  });

  it("still do so while posts arrive, change and go between pages", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...WAYS),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.constantFrom("arrive", "remove", "edit", "wait"), { minLength: 3, maxLength: 12 }),
        async (way, limit, acts) => {
          const { tag, ids } = await seed(12);
          const removed = new Set<string>();
          const seen = new Set<string>();
          const posts = await walk(
            board,
            `/search?${way}&tags=${tag}&limit=${limit}`,
            async ({ body }, number) => {
              for (const id of idsOf(body.data)) seen.add(id);
              const target = ids[(number * 5) % ids.length] ?? "";
              switch (acts[number % acts.length]) {
                case "arrive":
                  await add(tag, number);
                  break;
                case "remove":
                  if (!seen.has(target)) removed.add(target);
                  await call(board, `DELETE /posts/${target}`, undefined, author);
                  break;
                case "edit":
                  await call(board, `PATCH /posts/${target}`, { body: `walrus walrus ${prose()}` }, author);
                  break;
                default:
                  now += 1_000;
              }
            },
          );
          const walked = idsOf(posts);
          expect(new Set(walked).size).toBe(walked.length);
          for (const id of ids) expect(walked.includes(id)).toBe(!removed.has(id));
        },
      ),
      {
        numRuns: ON_MONGODB ? 6 : 16,
        examples: WAYS.map((way) => [way, 2, ["arrive", "remove", "edit", "wait"]]),
      },
    );
  });

  it("drop posts hidden, expired or suspended since the first page", async () => {
    for (const way of WAYS) {
      const { tag, ids } = await seed(4);
      const other = await register(board, "Other");
      await write(board, other.key, {
        title: "walrus",
        tags: [tag],
        kind: "event",
        starts_at: new Date(now + 9 * DAY_MS).toISOString(),
      });
      await write(board, author.key, {
        title: "walrus walrus",
        tags: [tag],
        kind: "event",
        starts_at: new Date(now + 8 * DAY_MS).toISOString(),
        expires_at: new Date(now + 60_000).toISOString(),
      });
      const page = await call(board, `GET /search?${way}&tags=${tag}&limit=1`);
      const first = page.body.data[0];
      const hidden = ids.find((id) => id !== first.id) ?? "";
      await board.board.services.moderation.act("hide", hidden, "test", now);
      await board.board.services.moderation.act("suspend", other.id, "test", now);
      now += 60_000;
      const rest = await walk(board, `/search?${way}&tags=${tag}&limit=2&cursor=${page.body.next_cursor}`);
      const expected = ids.filter((id) => id !== first.id && id !== hidden);
      expect(idsOf(rest).sort(), way).toEqual(expected.sort());
    }
  });

  // How thousands of matches follow each other is the same on both stores.
  it.skipIf(ON_MONGODB)(
    "go beyond 1,000 results by words, and relevance never rises, even when posts arrive at the seam",
    async () => {
      // Of the third thousand each earlier one is left out.
      const wanted = 2_010;
      const title = (n: number) => `narwhal ${"narwhal ".repeat(n % 6)}`;
      await insertMany(
        board,
        Array.from({ length: wanted }, (_, n) => ({ title: title(n), kind: "offer" })),
      );
      now += 1_000;
      // The same question has the same cursor until a post arrives that passes its filters.
      const cursor = async () => (await call(board, "GET /search?q=narwhal&kind=offer")).body.next_cursor;
      const first = await cursor();
      now += 60_000;
      await write(board, author.key, { title: "no bird", kind: "request" });
      now += 1_000;
      expect(await cursor()).toBe(first);
      const seen = await walk(board, "/search?q=narwhal&limit=100", async (_page, number) => {
        now += 1;
        if (number === 9 || number === 10) await write(board, author.key, { title: `narwhal ${number}` });
      });
      expect(seen).toHaveLength(wanted);
      expect(new Set(idsOf(seen)).size).toBe(wanted);
      const scores: number[] = seen.map((post) => post.relevance);
      expect(scores.every((score, n) => score <= (scores[n - 1] ?? 1))).toBe(true);
      expect(new Set(idsOf(await walk(board, "/search?kind=offer&limit=100"))).size).toBe(wanted);
      // Of those listed by time some are not among the best thousand, and count as the last of these.
      const newest = await found(board, "/search?q=narwhal&sort=newest&limit=100");
      expect(Math.min(...newest.map((post) => post.relevance))).toBeGreaterThan(0);
      const client = await mcpClient({ url: `${board.url}/mcp` });
      const { text } = await client.call("search", { kind: "offer", limit: 3 });
      expect(text).toContain("Posts 1–3 of 1,000+, newest first");
      await client.close();
      await write(board, author.key, { title: "no bird either", kind: "offer" });
      now += 1_000;
      expect(await cursor()).not.toBe(first);
    },
  );

  describe("fail with invalid_cursor", () => {
    const codeOf = async (path: string) => (await call(board, `GET ${path}`)).body.error?.code;
    it("for a cursor of another query or order, and a damaged one", async () => {
      const { tag } = await seed(3);
      for (const way of WAYS) await refusesOthers(way, tag);
    });

    async function refusesOthers(way: (typeof WAYS)[number], tag: string) {
      const { body } = await call(board, `GET /search?${way}&tags=${tag}&limit=1`);
      const cursor: string = body.next_cursor;
      const others = WAYS.filter((other) => other !== way).map((other) => `${other}&tags=${tag}`);
      for (const query of [...others, `${way}&tags=other`, `${way}&tags=${tag}&kind=offer`]) {
        expect(await codeOf(`/search?${query}&cursor=${cursor}`), query).toBe("invalid_cursor");
      }
      const middle = Math.floor(cursor.length / 2);
      const flipped =
        cursor.slice(0, middle) + (cursor[middle] === "A" ? "B" : "A") + cursor.slice(middle + 1);
      for (const damaged of [flipped, cursor.slice(0, -2), `${cursor}A`, "x", "e30", "%00"]) {
        expect(await codeOf(`/search?${way}&tags=${tag}&cursor=${damaged}`), damaged).toBe("invalid_cursor");
      }
    }

    it("for a cursor of another board", async () => {
      const foreign = await startBoard({}, { clock: () => now });
      const { key } = await register(foreign);
      for (let n = 0; n < 2; n += 1) await write(foreign, key);
      const { body } = await call(foreign, "GET /search?limit=1");
      await foreign.stop();
      expect(await codeOf(`/search?limit=1&cursor=${body.next_cursor}`)).toBe("invalid_cursor");
    });
  });

  it("are empty without a cursor when nothing matches, and end with null", async () => {
    const { body } = await call(board, "GET /search?tags=nobody-has-this");
    expect(body).toMatchObject({ data: [], next_cursor: null });
    const { tag } = await seed(2);
    for (const way of WAYS) {
      expect((await call(board, `GET /search?${way}&tags=${tag}&limit=2`)).body.next_cursor).toBeNull();
    }
  });
});

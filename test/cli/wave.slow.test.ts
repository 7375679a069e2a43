import { beforeAll, describe, expect, it } from "vitest";
import { ON_MONGODB, type TestBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { runHere } from "../support/boards/command.ts";
import { aRow } from "../support/boards/many-posts.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { found, titles, write } from "../support/boards/writing.ts";
import { OPERATOR_KEY, Operator } from "../support/clients/operator.ts";

interface Written {
  by: { id: string; key: string };
  posts: { id: string }[];
}

/** Ten keys write thirty posts each, twenty others ten; one of those writes of a casino too, and means it well. */
async function makeWave(board: TestBoard): Promise<{ bad: Written[]; good: Written[] }> {
  const author = async (name: string, count: number, title: (n: number) => string): Promise<Written> => {
    const by = await register(board, name);
    const posts = Array.from({ length: count }, (_, n) =>
      aRow(board, { publisherId: by.id, title: title(n) }),
    );
    for (const post of posts) await board.board.store.posts.insert(post);
    return { by, posts };
  };
  const bad = Array.from({ length: 10 }, (_, k) =>
    author(`Lucky ${k}`, 30, (n) => `Casino bonus number ${n} of ${k}`),
  );
  const good = Array.from({ length: 20 }, (_, k) =>
    author(`Neighbour ${k}`, 10, (n) =>
      k === 7 && n === 3 ? "Old casino chips, to swap" : `Notice ${n} of ${k}`,
    ),
  );
  return { bad: await Promise.all(bad), good: await Promise.all(good) };
}

/** How many posts of each of some a reader finds. */
const seenOf = (board: TestBoard, written: readonly Written[]): Promise<number[]> =>
  Promise.all(
    written.map(async ({ by }) => (await found(board, `/search?publisher=${by.id}&limit=50`)).length),
  );

/** The states of all posts of some, each once. */
async function statesOf({ board }: TestBoard, written: readonly Written[]): Promise<string[]> {
  const ids = written.flatMap(({ posts }) => posts.map(({ id }) => id));
  return [...new Set((await board.store.posts.many(ids)).map(({ state }) => state))];
}

const ENVIRONMENT = { OPERATOR_KEY, TRUST_PROXY: "1" };

describe("a wave of 300 posts by 10 keys, among 200 good ones", () => {
  describe("is met at the command line", () => {
    const board = useTestBoard(ENVIRONMENT);
    let wave: Awaited<ReturnType<typeof makeWave>>;
    beforeAll(async () => {
      wave = await makeWave(board);
    });

    it("in six commands, one of which takes a wrong suspension back, while the board runs", async () => {
      let commands = 0;
      const run = async (...args: string[]) => {
        commands += 1;
        const ran = await runHere(args, { STORE_URL: board.board.config.storeUrl });
        expect(ran).toMatchObject({ code: 0, stderr: "" });
        return ran.stdout.trimEnd().split("\n");
      };
      const since = ["--since", "1 hour ago", "--limit", "600"];
      const idOf = (line: string) => line.split("\t")[0] ?? "";
      const authorOf = (line: string) => /\((pub_\w+)\)$/.exec(line)?.[1] ?? "";
      expect(await run("moderate", "posts")).toHaveLength(50);
      commands = 0;
      const read = await run("moderate", "posts", ...since);
      expect(read).toHaveLength(500);
      const casino = read.filter((line) => /casino/i.test(line));
      const suspended = await run("moderate", "suspend", ...casino.map(idOf), "--reason", "casino spam");
      expect(suspended.at(-1)).toBe("suspend: 11 of 11");
      expect(await titles(board, "/search?q=casino")).toEqual([]);
      const hidden = (await run("moderate", "posts", ...since)).filter((line) =>
        line.includes("active, suspended"),
      );
      expect(hidden).toHaveLength(310);
      const wrong = [...new Set(hidden.filter((line) => !/casino bonus/i.test(line)).map(authorOf))];
      expect(wrong).toEqual([wave.good[7]?.by.id]);
      await run("moderate", "reinstate", ...wrong, "--reason", "a collector of chips");
      const spam = hidden.filter((line) => !wrong.includes(authorOf(line)));
      const removed = await run("moderate", "remove", "--reason", "casino spam", ...spam.map(idOf));
      expect(removed.at(-1)).toBe("remove: 300 of 300");
      const log = await run("moderate", "list", "--limit", "400");
      expect(log.filter((line) => line.includes("casino spam"))).toHaveLength(311);
      expect(commands).toBeLessThanOrEqual(6);
      expect(await seenOf(board, wave.good)).toEqual(Array(20).fill(10));
      expect(await seenOf(board, wave.bad)).toEqual(Array(10).fill(0));
      expect(await statesOf(board, wave.bad)).toEqual(["removed"]);
      expect(await titles(board, "/search?q=casino")).toEqual(["Old casino chips, to swap"]);
      const again = await call(board, "POST /posts", { title: "Casino", body: "Again." }, wave.bad[0]?.by);
      expect(again.body.error.code).toBe("publisher_suspended");
    });
  });

  describe.skipIf(ON_MONGODB)("is met on the operator's pages", () => {
    const board = useTestBoard(ENVIRONMENT);
    let wave: Awaited<ReturnType<typeof makeWave>>;
    beforeAll(async () => {
      wave = await makeWave(board);
    });

    it("in five clicks, one of which takes a wrong suspension back", async () => {
      const here = "/operate/posts?with=casino&since=1+hour+ago";
      const operator = await Operator.signIn(board, OPERATOR_KEY);
      // A page has 500 posts, and leads to the rest.
      const { key } = await register(board, "Latecomer");
      for (const n of [1, 2, 3]) await write(board, key, { title: `Later ${n}` });
      const newest = await operator.page("/operate/posts?since=1+hour+ago");
      const [, on = ""] = /href="(\/operate\/posts\?[^"]+)">Earlier ones/.exec(newest) ?? [];
      expect(on).toMatch(/\?since=1\+hour\+ago&amp;before=/);
      const earlier = await operator.page(on.replaceAll("&amp;", "&"));
      const [first, rest] = [newest, earlier].map((page) => page.match(/value="[\w-]{10}"/g) ?? []);
      expect([first?.length, rest?.length]).toEqual([500, 3]);
      expect(new Set([first, rest].flat()).size).toBe(503);
      const read = await operator.page(here);
      expect(read).toContain("Suspend all 11 authors of these 301");
      const listed = /name="listed" value="([^"]+)"/.exec(read)?.[1] ?? "";
      await operator.act({ do: "suspend listed", listed, here, reason: "casino spam" });
      const [wrong] = wave.good[7]?.posts.slice(3) ?? [];
      const seen = await operator.page(operator.location ?? "");
      expect(seen).toMatch(new RegExp(`value="${wrong?.id}".*Old casino chips`));
      await operator.act({ do: "reinstate", id: wrong?.id ?? "", here, reason: "a collector of chips" });
      const last = await operator.page(operator.location ?? "");
      expect(last).toContain("Remove the 300 of suspended authors for good");
      const suspended = /name="suspended" value="([^"]+)"/.exec(last)?.[1] ?? "";
      await operator.act({ do: "remove suspended", suspended, here, reason: "casino spam" });
      expect(await seenOf(board, wave.good)).toEqual(Array(20).fill(10));
      expect(await seenOf(board, wave.bad)).toEqual(Array(10).fill(0));
      expect(await statesOf(board, wave.bad)).toEqual(["removed"]);
    });
  });
});

import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Conference, conferencePost } from "../../demo/conferences.ts";
import { flagsOf } from "../../src/domain/flags/index.ts";
import { PostInput } from "../../src/schema/post.ts";
import { startBoard } from "../support/boards/board.ts";
import { runCommand } from "../support/boards/board-process.ts";
import { call } from "../support/boards/client.ts";

const DEMO = readFileSync(new URL("../../demo/conferences.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Record<string, unknown>);

const ROW = {
  name: "React Day Berlin",
  url: "https://reactday.berlin",
  startDate: "2026-12-04",
  endDate: "2026-12-07",
  city: "Berlin",
  country: "Germany",
  online: true,
  locales: "EN, DE",
  topics: ["accessibility", "javascript"],
  cfpUrl: "https://reactday.berlin/cfp",
  cfpEndDate: "2026-09-01",
  offersSignLanguageOrCC: true,
};

const postOf = (row: Record<string, unknown>) => conferencePost(Conference.parse(row));

describe("conferencePost", () => {
  it("has title, place, dates, topics and languages", () => {
    const post = postOf(ROW);
    expect(post.title).toBe("React Day Berlin, Berlin, 4–7 December 2026");
    expect(post.body).toMatchInlineSnapshot(`
      "React Day Berlin is a technology conference about accessibility (a11y) and JavaScript and web development.
      It takes place in Berlin, Germany, from Friday, 4 December 2026 to Monday, 7 December 2026, and can be attended online.
      Talks are in English and German.
      Accessibility: sign language interpretation or closed captions are offered.
      Call for papers: speakers can propose talks until 1 September 2026."
    `);
    expect(post.tags).toEqual(["conference", "accessibility", "javascript", "online", "captions"]);
    expect(post).toMatchObject({ kind: "event", url: ROW.url, syndicated: true });
    expect(post.metadata).toMatchObject({ source: "conference-data", license: "MIT", all_day: true });
  });

  it("lasts from the start of the first day to the end of the last, in the zone of the place", () => {
    const lasts = (row: Partial<typeof ROW>) => {
      const { starts_at, ends_at } = postOf({ ...ROW, ...row });
      return `${starts_at} ${ends_at}`;
    };
    expect(lasts({})).toBe("2026-12-04T00:00:00+01:00 2026-12-07T23:59:59+01:00");
    // Clocks change on 2026-03-29 in Berlin.
    const changing = { startDate: "2026-03-28", endDate: "2026-03-30" };
    expect(lasts(changing)).toBe("2026-03-28T00:00:00+01:00 2026-03-30T23:59:59+02:00");
    expect(lasts({ city: "Bangalore", country: "India" })).toContain("2026-12-04T00:00:00+05:30");
  });

  it("makes posts of all demo rows that the board accepts and does not flag", () => {
    for (const row of DEMO) {
      const post = postOf(row);
      expect(PostInput.safeParse(post).error).toBeUndefined();
      expect(
        flagsOf([post.title ?? "", post.body, ...(post.tags ?? []), JSON.stringify(post.metadata)]),
      ).toEqual([]);
      if (row["city"] !== undefined) expect(post.location?.lat, JSON.stringify(row)).toBeTypeOf("number");
    }
  });
});

describe("agent-board import", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "import-"));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it("adds each valid post once, and names line and problem of every other row", async () => {
    const file = join(dataDir, "list.jsonl");
    const good = { title: "Café", body: "Open on Sunday.", idempotency_key: "1" };
    const latin1 = Buffer.from(JSON.stringify({ ...good, idempotency_key: "2" }), "latin1");
    const text = `${JSON.stringify(good)}\n\n{"title":\n[1]\n{"title":"No body"}\n`;
    const behind = `\nnull\n7\n"text"\n${JSON.stringify({ ...good, title: "Tea", idempotency_key: "3" })}\n`;
    await writeFile(file, Buffer.concat([Buffer.from(text), latin1, Buffer.from(behind)]));
    const run = () => runCommand(["import", file], { DATA_DIR: dataDir });
    const { code, stdout: first } = await run();
    expect(code).toBe(1);
    expect(first).toContain("Registered the relay publisher pub_");
    expect(first).toContain("2 added, 0 already there, 7 refused");
    expect(first).toContain("line 3: not JSON");
    expect(first).toContain("line 5: invalid_request (body: Required.)");
    expect(first).toContain("line 6: invalid_json (Must be UTF-8.)");
    for (const line of [4, 7, 8, 9]) {
      expect(first).toContain(`line ${line}: invalid_request (must be a JSON object)`);
    }
    const { stdout: again } = await run();
    expect(again).not.toContain("Registered");
    expect(again).toContain("0 added, 2 already there, 7 refused");
    // In the statistics it is a post like any other.
    const board = await startBoard({}, { dataDir });
    const { body } = await call(board, "GET /metrics");
    expect(body.data.series_30d.at(-1).posts).toBe(body.data.board.posts_today);
    expect(body.data.board.posts_today).toBe(2);
    await board.stop();
  });
});

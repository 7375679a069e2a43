import { expect, it } from "vitest";
import { measureAnswers } from "../../bench/answers.ts";
import { boardTexts } from "../../bench/board/texts.ts";
import { postVectors } from "../../bench/board/vectors.ts";
import { MIXES, measureStarving } from "../../bench/starving.ts";

it("one caller who asks as much as the limits let it leaves the board answering others", async () => {
  const texts = boardTexts();
  const rows = [];
  const small = { posts: 300, seconds: 0.5, connections: 8 };
  for await (const row of measureStarving(small, texts, await postVectors(texts))) rows.push(row);
  expect(rows.map(({ name }) => name)).toEqual([...Object.keys(MIXES), "all in turn"]);
  for (const { name, healthz, tally } of rows) {
    expect(tally.answered["200"], name).toBeGreaterThan(0);
    expect(
      Object.keys(tally.answered).filter((status) => !["200", "429"].includes(status)),
      name,
    ).toEqual([]);
    expect(healthz.p95, name).toBeLessThan(5_000);
  }
});

it("what an answer costs is measured for lists, a post, the board and the front page", async () => {
  const figures = await measureAnswers(300, 1, false);
  expect(figures.map(({ name }) => name)).toEqual(expect.arrayContaining(["newest", "a post", "board"]));
  for (const { name, times, cpuMs } of figures) {
    expect(times.p50, name).toBeGreaterThan(0);
    expect(cpuMs, name).toBeGreaterThan(0);
  }
});

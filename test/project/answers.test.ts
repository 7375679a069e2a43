import { expect, it } from "vitest";
import { measureAnswers } from "../../bench/answers.ts";

it("what an answer costs is measured for lists, a post, the board and the front page", async () => {
  const figures = await measureAnswers(300, 1, false);
  expect(figures.map(({ name }) => name)).toEqual(expect.arrayContaining(["newest", "a post", "board"]));
  for (const { name, times, cpuMs } of figures) {
    expect(times.p50, name).toBeGreaterThan(0);
    expect(cpuMs, name).toBeGreaterThan(0);
  }
});

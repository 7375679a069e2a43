import { expect, it } from "vitest";
import { crashRun } from "../../bench/delivery-crash.ts";

it("a board killed during delivery loses no match, changes no id, and sends nothing forbidden", async () => {
  const run = await crashRun({ posts: 10, kills: 2 });
  expect(run).toMatchObject({ matches: 400, missing: 0, unstable: 0, unasked: 0, erased: 0 });
});

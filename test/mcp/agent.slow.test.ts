import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { courseFrom } from "../../bench/agent/index.ts";
import { MEANT } from "../../bench/agent/meant.ts";
import { MISSIONS } from "../../bench/agent/missions.ts";
import { SITUATIONS } from "../../bench/agent/situations.ts";
import { makeWorld, type World } from "../../bench/agent/world.ts";

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.stop());

describe("an agent without a model, which follows every text to the letter,", () => {
  // A search by meaning needs the model; bench/agent runs this mission.
  it.each([...MISSIONS, ...MEANT].filter(({ name }) => name !== "find by meaning"))(
    "does what it is sent for: $name",
    async (mission) => {
      const { calls, reached } = await mission.run(world);
      expect({ reached, read: reached ? "" : calls.map(({ text }) => text) }).toEqual({
        reached: true,
        read: "",
      });
    },
  );

  it.each(SITUATIONS)("reaches a success from $name", async (situation) => {
    const { ok, steps, texts } = await courseFrom(world, situation);
    const course = steps.map(({ tool, args }, at) => `${tool} ${JSON.stringify(args)}\n${texts[at]}`);
    expect({ ok, course: ok ? [] : course }).toEqual({ ok: true, course: [] });
  });
});

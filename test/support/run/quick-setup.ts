import { afterEach, expect, vi } from "vitest";

const { refuse, refused } = await vi.hoisted(() => import("./refusals.ts"));

vi.mock(import("../../../src/embed/hub.ts"), async (real) => ({
  ...(await real()),
  fetchFromHub: refuse("download the model"),
}));
vi.mock(import("../../../src/embed/registry.ts"), () => ({
  fetchFromRegistry: refuse("download the model"),
}));
vi.mock(import("../mongodb/mongod.ts"), () => ({ startServer: refuse("start mongod") }));

// A board works without its model, so a refusal alone would go unnoticed: it must fail the test.
afterEach(() => expect(refused.splice(0), "refused to a quick test").toEqual([]));

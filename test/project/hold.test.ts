import { describe, expect, it } from "vitest";
import { killRun } from "../../bench/hold/kills.ts";
import { seenAcross } from "../../bench/hold/seen-across.ts";
import { slowClientsRun } from "../../bench/hold/slow-clients.ts";
import { twoProcessesRun } from "../../bench/hold/two-processes.ts";

/** In small; `bench/RESULTS.md` has the figures of whole runs. */
describe("a board in a process of its own", () => {
  it("loses nothing acknowledged and keeps nothing erased when it is killed", async () => {
    const { acknowledged, ...run } = await killRun(2, 1);
    expect(run).toEqual({ kills: 2, lost: 0, erasures: 1, filesWithErased: [], integrity: "ok" });
    expect(acknowledged).toBeGreaterThan(0);
  });

  it("serves good clients beside slow and idle ones", async () => {
    const run = await slowClientsRun(2, 0.1);
    expect(run.answers).toBeGreaterThan(20);
    expect(run.failed).toBe(0);
  });

  it("knows with the next question what another process took", async () => {
    const { words, newest } = await seenAcross(40, 8);
    expect([...words, ...newest].map(({ without }) => without)).toEqual(Array(8).fill(0));
  });

  it("answers while another process writes", async () => {
    const run = await twoProcessesRun(60);
    expect(run.failed).toBe(0);
    expect(run.reads).toBeGreaterThan(0);
    expect(run.delay.max).toBeGreaterThan(0);
  });
});

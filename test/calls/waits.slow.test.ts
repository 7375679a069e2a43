import { describe, expect, it, vi } from "vitest";
import { StoreUnavailable } from "../../src/ports/store/index.ts";
import { call } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";

/** Two processes on one store, with one clock. */
let now = Date.UTC(2026, 10, 20, 12);
const one = useTestBoard({}, { clock: () => now });
const two = useTestBoard({}, () => ({ clock: () => now, dataDir: one.dataDir }));
const me = usePublisher(one);
const REGISTRATION = { name: "Twice", accept_terms: true };

describe.concurrent("a call that waits", () => {
  it("for two seconds for its key to be looked up, is then answered without it where it is open, and says so", async ({
    onTestFinished,
  }) => {
    const { publishers } = one.board.store;
    const silent = vi.spyOn(publishers, "byKeyHash").mockReturnValue(new Promise(() => {}));
    onTestFinished(() => silent.mockRestore());
    const began = performance.now();
    const { status, body } = await call(one, "GET /search", undefined, me);
    expect([status, body.meta.note]).toEqual([200, expect.stringContaining("could not be looked up")]);
    const seconds = (performance.now() - began) / 1_000;
    expect(seconds).toBeGreaterThan(1.9);
    expect(seconds).toBeLessThan(15);
    silent.mockRejectedValue(new StoreUnavailable("it is away"));
    expect((await call(one, "GET /search", undefined, me)).body.meta.note).toContain(
      "could not be looked up",
    );
    expect((await call(one, "POST /posts", { title: "A", body: "B" }, me)).status).toBe(503);
  });

  it("for five seconds for the same call under way is overloaded, and is done anew once that is half a minute old", async ({
    onTestFinished,
  }) => {
    const hung = vi.spyOn(one.board.services.publishers, "register").mockReturnValue(new Promise(() => {}));
    onTestFinished(() => hung.mockRestore());
    const hangUp = new AbortController();
    const headers = {
      "idempotency-key": "hung",
      "content-type": "application/json",
      "user-agent": "impatient/1",
    };
    const sent = { method: "POST", headers, body: JSON.stringify(REGISTRATION), signal: hangUp.signal };
    fetch(`${one.api}/publishers`, sent).catch(() => {});
    await expect.poll(() => hung.mock.calls.length).toBe(1);
    now += 29_999;
    const began = performance.now();
    const early = await call(two, "POST /publishers", REGISTRATION, { headers });
    const seconds = (performance.now() - began) / 1_000;
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
    expect([seconds > 4.9, seconds < 45]).toEqual([true, true]);
    now += 1;
    expect((await call(two, "POST /publishers", REGISTRATION, { headers })).status).toBe(201);
    hangUp.abort();
  });
});

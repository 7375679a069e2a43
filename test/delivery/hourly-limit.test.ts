import { describe, expect, it } from "vitest";
import { HourlyLimit } from "../../src/domain/webhooks/hourly-limit.ts";
import { openStore } from "../../src/store/open.ts";
import { useFolderForEach } from "../support/run/temporary.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 20, 12);

describe("a call to a webhook at its owner's request", () => {
  const folder = useFolderForEach();

  /** Makes calls, each by a subscription of its own unless told, and says how each went: made, or refused for so long. */
  async function calling(limited = true) {
    const store = await openStore(`sqlite:${folder()}/board.db`);
    const limit = new HourlyLimit({ limits: store.limits, limited });
    let calls = 0;
    const ask = async (url: string, { by = "", succeeds = false, now = NOW } = {}) => {
      calls += 1;
      const made = async () => "made";
      return limit
        .within(by || `sub_${calls}`, url, now, made, () => succeeds)
        .catch(({ code, retryAfterS }) => `${code} ${retryAfterS}`);
    };
    const askOften = async (times: number, ...how: Parameters<typeof ask>) => {
      const said = [];
      for (let n = 0; n < times; n += 1) said.push(await ask(...how));
      return said;
    };
    return { ask, askOften, close: () => store.close() };
  }
  const made = (times: number) => Array.from({ length: times }, () => "made");

  it("is made at most 10 times an hour per subscription and 30 times without success per host", async () => {
    const { ask, askOften, close } = await calling();
    const own = { by: "sub_one", succeeds: true };
    expect(await askOften(11, "https://a.example/", own)).toEqual([...made(10), "rate_limited 3600"]);
    expect(await ask("https://a.example/", { ...own, by: "sub_two" })).toBe("made");
    expect(await ask("https://a.example/", { ...own, now: NOW + HOUR_MS - 1 })).toBe("rate_limited 1");
    expect(await ask("https://a.example/", { ...own, now: NOW + HOUR_MS })).toBe("made");
    expect(await askOften(31, "https://b.example/hook")).toEqual([...made(30), "rate_limited 3600"]);
    // Another spelling of a host is the same one, another port is another.
    expect(await ask("https://B.example./elsewhere")).toBe("rate_limited 3600");
    expect(await ask("https://b.example:8443/hook")).toBe("made");
    await close();
  });

  it("that is refused says how often one may be made", async () => {
    const store = await openStore(`sqlite:${folder()}/board.db`);
    const limit = new HourlyLimit({ limits: store.limits, limited: true });
    const ask = () =>
      limit.within(
        "sub_one",
        "https://a.example/",
        NOW,
        async () => {},
        () => true,
      );
    for (let n = 0; n < 10; n += 1) await ask();
    await expect(ask()).rejects.toMatchObject({
      hint: "A webhook is asked or tested at most 10 times an hour, and its host 30 times without success. Wait the seconds given in `Retry-After`.",
    });
    await store.close();
  });

  it("counts for the host only where it was not given: 40 people share the host of their agents", async () => {
    const { askOften, close } = await calling();
    expect(await askOften(40, "https://a.example/", { succeeds: true })).toEqual(made(40));
    await close();
  });

  it("has no limit where the operator switched limits off", async () => {
    const { askOften, close } = await calling(false);
    expect(await askOften(40, "https://a.example/", { by: "sub_one" })).toEqual(made(40));
    await close();
  });
});

import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FeedReader } from "../../src/syndication/read.ts";
import { berlinCalendar, eventOf, readIn } from "../support/syndication/parsed-feeds.ts";

describe("a hostile source", () => {
  it("cannot hold up the board by a recurrence that never comes: a feed has a minute", async () => {
    const rule = "RRULE:FREQ=SECONDLY;INTERVAL=2;BYSECOND=1";
    const text = berlinCalendar(eventOf("UID:1", "SUMMARY:Never", "DTSTART:19000101T000000Z", rule));
    // Here a minute has a second and a half.
    const inTime = AbortSignal.timeout.bind(AbortSignal);
    const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => inTime(ms / 40));
    onTestFinished(() => spy.mockRestore());
    await expect(readIn("ics", text)).rejects.toThrow("takes too long");
    expect(spy.mock.calls).toEqual([[60_000]]);
  });

  it("cannot fill the memory of the board", async () => {
    const text = `${"[".repeat(1 << 20)}${"]".repeat(1 << 20)}`;
    await expect(readIn("jsonl", text)).rejects.toThrow("No line of this is a JSON object");
  });
});

it("a thread ends when no feed came for five seconds, however long it has read others", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const spies = [vi.spyOn(Worker.prototype, "postMessage"), vi.spyOn(Worker.prototype, "terminate")] as const;
  onTestFinished(() => {
    vi.useRealTimers();
    for (const spy of spies) spy.mockRestore();
  });
  const [asked, ended] = spies.map(({ mock }) => mock.contexts) as [unknown[], unknown[]];
  const reader = new FeedReader();
  for (let feeds = 0; feeds < 3; feeds += 1) {
    await readIn("ics", berlinCalendar(), reader);
    vi.advanceTimersByTime(4_999);
  }
  const [thread, ...others] = new Set(asked);
  expect(others).toEqual([]);
  expect(ended).not.toContain(thread);
  vi.advanceTimersByTime(1);
  expect(ended).toContain(thread);
});

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Measured,
  measureSet,
  percentOf,
  publicSets,
  statedIn,
  tableOf,
  together,
} from "../../bench/flags/measure.ts";
import { ownSets } from "../../bench/flags/texts.ts";

const own = ownSets().map(measureSet);
const named = (name: string): Measured => {
  const found = own.find(({ set }) => set.name === name);
  if (found === undefined) throw new Error(`no set ${name}`);
  return found;
};
/** The half that nobody looked at while tuning: odd lines. */
const HELD_OUT = 1;

describe("flags on the texts of bench/flags", () => {
  it("has at least 300 hostile and 300 harmless texts, each once", () => {
    for (const name of ["hostile posts", "harmless posts"]) {
      const texts = named(name).set.rows.map(({ text }) => text);
      expect(texts.length).toBeGreaterThanOrEqual(300);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });

  it("are as docs/flags.md states", () => {
    expect(statedIn("own")).toBe(tableOf(own));
  });

  it("find at least five of six hostile posts in the held-out half", () => {
    expect(percentOf(named("hostile posts"), HELD_OUT)).toBeGreaterThanOrEqual(83.3);
  });

  it("cry wolf at no more than 1 in 20 of the harmless posts in the held-out half, 1 in 30 of all", () => {
    expect(percentOf(named("harmless posts"), HELD_OUT)).toBeLessThanOrEqual(5);
    expect(percentOf(named("harmless posts"))).toBeLessThanOrEqual(3.4);
  });

  it("do no worse on the posts that were looked at", () => {
    expect(percentOf(named("hostile posts, all seen"))).toBeGreaterThanOrEqual(88);
    expect(percentOf(named("harmless posts, all seen"))).toBeLessThanOrEqual(4);
  });

  it("find hidden text in 99 of 100 posts, and flag no emoji or foreign script", () => {
    expect(percentOf(named("hidden in harmless posts"))).toBeGreaterThanOrEqual(99);
    expect(percentOf(named("harmless posts with emoji"))).toBeLessThanOrEqual(0.5);
  });

  it("find encoded text in 98 of 100 posts, and flag no link, hash, key or path", () => {
    expect(percentOf(named("encoded"))).toBeGreaterThanOrEqual(98);
    expect(percentOf(named("harmless posts with links, hashes, keys"))).toBe(0);
  });
});

const { BENCH_DATA: data } = process.env;

describe.skipIf(data === undefined)("flags on public texts (BENCH_DATA)", () => {
  const measured = data === undefined ? [] : publicSets(join(data, "flags")).map(measureSet);
  const of = (flag: string, hostile: boolean) =>
    measured.filter(({ set }) => set.flag === flag && set.hostile === hostile);
  const share = (sets: readonly Measured[]) => together("", sets).map((one) => percentOf(one))[0];

  it("are as docs/flags.md states", () => {
    for (const line of tableOf(measured).split("\n")) expect(statedIn("public")).toContain(line);
  });

  it("keep to the bounds we promise", () => {
    expect(share(of("hidden_unicode", true))).toBeGreaterThanOrEqual(99);
    expect(share(of("hidden_unicode", false))).toBeLessThanOrEqual(0.5);
    expect(share(of("encoded_blob", true))).toBeGreaterThanOrEqual(98);
    expect(share(of("encoded_blob", false))).toBe(0);
    expect(share(of("possible_instruction", true))).toBeGreaterThanOrEqual(55);
    for (const one of of("possible_instruction", false)) {
      expect(percentOf(one), one.set.name).toBeLessThanOrEqual(one.set.name.includes("email") ? 1 : 2);
    }
  });
});

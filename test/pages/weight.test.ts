import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { DOCS_PATHS } from "../../src/adapters/reference/docs.ts";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { prose, write } from "../support/boards/writing.ts";
import { BROWSER, getPage } from "../support/texts/html.ts";
import { notices } from "../support/texts/notices.ts";

const BYTES_MAX = 15_000;

describe("a page with all that it loads", () => {
  let paths: string[];
  const board = useTestBoard();
  beforeAll(async () => {
    const made = await notices(board);
    const { key } = await register(board, "Long-winded");
    const text = (chars: number) =>
      Array.from({ length: chars / 100 }, prose)
        .join(" ")
        .slice(0, chars);
    const { id } = await write(board, key, { title: text(200), body: text(8_000), kind: "thread" });
    for (let n = 0; n < 20; n += 1) await write(board, key, { parent_id: id, body: text(2_000) });
    paths = [
      "/",
      "/search",
      "/search?q=music&near=Berlin&radius_km=50",
      "/search?q=nothing&kind=request&near=52.52,13.4&radius_km=5",
      "/search?near=nowhere",
      `/p/${made.event}`,
      `/p/${made.flagged}`,
      `/p/${id}`,
      `/publishers/${made.publisher}`,
      "/calendar",
      "/tags",
      "/places",
      ...DOCS_PATHS,
      "/stats",
      "/terms",
      "/privacy",
      "/p/nothere",
      "/nothing",
    ];
  });

  it("has at most 15 kB compressed, from the board alone", async () => {
    const weights = new Map<string, number>();
    for (const path of paths) {
      const { text } = await getPage(board, path, { accept: BROWSER });
      expect(Buffer.byteLength(text), path).toBeLessThanOrEqual(50_000);
      const loaded = [
        ...text.matchAll(/<script src="([^"]+)"/g),
        ...text.matchAll(/<link rel="(?:stylesheet|icon)"[^>]* href="([^"]+)"/g),
        ...text.matchAll(/<(?:img|iframe|source)[^>]* src="([^"]+)"/g),
      ].map(([, address]) => String(address));
      expect(loaded, path).toHaveLength(3);
      let bytes = gzipSync(text).length;
      for (const address of loaded) {
        expect(address).toMatch(/^\/[\w-]/);
        bytes += gzipSync((await getPage(board, address)).text).length;
      }
      weights.set(path, bytes);
    }
    expect([...weights].filter(([, bytes]) => bytes > BYTES_MAX)).toEqual([]);
    expect(Math.max(...weights.values())).toBeGreaterThan(5_000);
  });
});

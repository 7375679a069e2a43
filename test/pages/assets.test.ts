import { gzipSync } from "node:zlib";
import { XMLParser } from "fast-xml-parser";
import { beforeAll, describe, expect, it } from "vitest";
import { DOCS_PATHS } from "../../src/adapters/reference/docs.ts";
import { register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { prose, write } from "../support/boards/writing.ts";
import { BROWSER, getPage } from "../support/texts/html.ts";
import { notices } from "../support/texts/notices.ts";

/** The width and height in the header of a PNG. */
function sizeOf(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe("the files that pages name", () => {
  let home: string;
  const site = "https://board.example";
  const board = useTestBoard({ SITE_URL: site });
  beforeAll(async () => {
    home = (await getPage(board, "/")).text;
  });
  const get = async (path: string) => {
    const response = await fetch(board.url + path);
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      keep: response.headers.get("cache-control"),
      body: Buffer.from(await response.arrayBuffer()),
    };
  };
  const named = (pattern: RegExp) => String(pattern.exec(home)?.[1]).replace(site, "");

  it.each([
    ["style", /rel="stylesheet" href="([^"]+)"/, "text/css; charset=utf-8"],
    ["script", /<script src="([^"]+)"/, "text/javascript; charset=utf-8"],
    ["icon", /rel="icon"[^>]* href="([^"]+)"/, "image/svg+xml; charset=utf-8"],
    ["touch icon", /rel="apple-touch-icon" href="([^"]+)"/, "image/png"],
    // What reads link cards follows no relative address.
    ["picture of link cards", /property="og:image" content="https:\/\/board\.example(\/[^"]+)"/, "image/png"],
  ])("%s: with its type, kept for good, small", async (_name, pattern, type) => {
    const file = await get(named(pattern));
    expect(file).toMatchObject({ status: 200, type, keep: "public, max-age=31536000, immutable" });
    expect(file.body.length).toBeGreaterThan(100);
    expect(file.body.length).toBeLessThanOrEqual(20_000);
    if (type.startsWith("text/")) expect(file.body.toString()).not.toMatch(/^\s|\/\*|\s$/);
    if (type.startsWith("text/css")) expect(file.body.toString()).not.toMatch(/\s\s|\n/);
  });

  it("pictures have the sizes that pages tell", async () => {
    const touch = await get(named(/rel="apple-touch-icon" href="([^"]+)"/));
    expect(sizeOf(touch.body)).toEqual([180, 180]);
    const social = await get(named(/property="og:image" content="([^"]+)"/));
    const told = ["width", "height"].map((side) =>
      Number(named(new RegExp(`og:image:${side}" content="(\\d+)"`))),
    );
    expect(sizeOf(social.body)).toEqual(told);
  });

  it.each(["/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png"])(
    "%s is answered, which programs ask for without reading a page",
    async (path) => {
      expect(await get(path)).toMatchObject({
        status: 200,
        type: "image/png",
        keep: "public, max-age=86400",
      });
    },
  );

  it("a description lets browsers search the board", async () => {
    const path = named(/rel="search"[^>]* href="([^"]+)"/);
    const file = await get(path);
    expect(file.type).toBe("application/opensearchdescription+xml");
    expect(file.keep).toBe("public, max-age=86400");
    const parser = new XMLParser({ ignoreAttributes: false });
    const { OpenSearchDescription: description } = parser.parse(file.body.toString(), true);
    expect(description.ShortName.length).toBeLessThanOrEqual(16);
    const [pages, feed] = description.Url;
    expect(description.Description).toMatch(/^A public bulletin board/);
    expect([description.ShortName, description.InputEncoding]).toEqual(["Agent Board", "UTF-8"]);
    expect([pages, feed]).toEqual([
      { "@_type": "text/html", "@_method": "get", "@_template": `${site}/search?q={searchTerms}` },
      { "@_type": "application/rss+xml", "@_template": `${site}/feed.xml?q={searchTerms}` },
    ]);
    expect(description.Image["#text"]).toMatch(/^https:\/\/board\.example\/touch-icon-/);
    const { "#text": picture = "", "@_width": width, "@_height": height } = description.Image;
    const { body } = await get(String(picture).replace(site, ""));
    expect(sizeOf(body)).toEqual([Number(width), Number(height)]);
    const address = String(pages["@_template"]).replace("{searchTerms}", "jazz").replace(site, "");
    expect((await getPage(board, address)).status).toBe(200);
  });
});

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

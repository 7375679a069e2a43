import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { serverCard } from "../../src/adapters/discovery/catalogs.ts";
import { DOCS_PATHS } from "../../src/adapters/reference/docs.ts";
import { newPostId } from "../../src/domain/secrets.ts";
import { Site } from "../../src/domain/site.ts";
import { jsonSchemaOf } from "../../src/schema/json-schema.ts";
import { startBoard } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { mcpClient } from "../support/clients/mcp-clients.ts";
import { aPost } from "../support/search/rows.ts";
import { getPage } from "../support/texts/html.ts";

const DAY_MS = 86_400_000;
const SITE = "https://board.example";
let now = Date.UTC(2026, 10, 20, 12);
const board = useTestBoard(
  {
    SITE_URL: SITE,
    CONTACT: "security@board.example",
    RATE_LIMITS: "read=9999/60,write=9999/60,register=9999/60",
  },
  { clock: () => now },
);
const me = usePublisher(board);
/** The board of an operator who named neither an address nor a site. */
const bare = useTestBoard({ AI_TRAINING: "on", SIGN_IN: "on" }, { idle: true });

const get = (path: string, on = board) => getPage(on, path, { accept: "*/*" });
const locations = (xml: string) => [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url ?? "");
const pathOf = (url: string) => url.replace(SITE, "");
const sha256 = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

it.each([
  ["/robots.txt", "text/plain; charset=utf-8", 3_600],
  ["/sitemap.xml", "application/xml; charset=utf-8", 600],
  ["/llms.txt", "text/plain; charset=utf-8", 300],
  ["/llms-full.txt", "text/plain; charset=utf-8", 300],
  ["/openapi.json", "application/json; charset=utf-8", 300],
  ["/skill.md", "text/markdown; charset=utf-8", 3_600],
  ["/skills/post-well/SKILL.md", "text/markdown; charset=utf-8", 3_600],
  ["/security.txt", "text/plain; charset=utf-8", 3_600],
  ["/.well-known/security.txt", "text/plain; charset=utf-8", 3_600],
  [
    "/.well-known/api-catalog",
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    3_600,
  ],
  ["/.well-known/ai-catalog.json", "application/ai-catalog+json", 3_600],
  ["/.well-known/agent-skills/index.json", "application/json; charset=utf-8", 3_600],
  ["/.well-known/mcp/server-card.json", "application/mcp-server-card+json", 3_600],
  ["/mcp/server-card", "application/mcp-server-card+json", 3_600],
])("%s is %s, open to all, counted and kept for %i s", async (path, type, seconds) => {
  const { status, headers } = await get(path);
  const told = ["content-type", "cache-control", "access-control-allow-origin"].map((name) =>
    headers.get(name),
  );
  expect([status, ...told]).toEqual([200, type, `public, max-age=${seconds}`, "*"]);
  expect(headers.get("etag")).toMatch(/^W\//);
  expect(headers.get("ratelimit-policy")).toBe('"read";q=9999;w=60');
});

it("robots.txt lets everyone read, says what for, and names the sitemap", async () => {
  for (const [on, root, train] of [
    [board, SITE, "no"],
    [bare, bare.url, "yes"],
  ] as const)
    expect((await get("/robots.txt", on)).text).toBe(
      `# Agents are welcome: see ${root}/llms.txt\nUser-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=${train}\nAllow: /\n\nSitemap: ${root}/sitemap.xml\n`,
    );
});

describe("sitemap", () => {
  it("tells when a post changed last, and of a publisher when any of its posts did, and nothing of hidden ones", async () => {
    const written = async (edits: boolean) => {
      const { id, key } = await register(board);
      const first = await write(board, key);
      now += 1_000;
      await write(board, key);
      now += 1_000;
      if (edits) await call(board, `PATCH /posts/${first.id}`, { title: "Edited" }, { key });
      const [latest, changed] = edits ? [now, now] : [now - 1_000, now - 2_000];
      return [
        `<url><loc>${SITE}/publishers/${id}</loc><lastmod>${new Date(latest).toISOString()}</lastmod></url>`,
        `<url><loc>${first.url}</loc><lastmod>${new Date(changed).toISOString()}</lastmod></url>`,
      ];
    };
    const entries = [await written(false), await written(true)].flat();
    const hidden = await write(board, me.key);
    await board.board.services.moderation.act("hide", hidden.id, "test", now);
    now += DAY_MS;
    const { text } = await get("/sitemap.xml");
    for (const entry of entries) expect(text).toContain(entry);
    for (const gone of [hidden.id, me.id]) expect(text).not.toContain(gone);
  });

  it("leaves out relayed posts, replies, and posts of an unverified publisher for a day; their pages are noindex too", async () => {
    let now = Date.now();
    const young = await startBoard({ SITE_URL: SITE }, { clock: () => now });
    const proved = await register(young);
    await young.board.store.publishers.update(proved.id, { verifiedAt: now, verifiedVia: "dns" });
    const verified = await write(young, proved.key);
    const posts = {
      unverified: await write(young, (await register(young)).key),
      relayed: await write(young, proved.key, { syndicated: true }),
      verified,
      reply: await write(young, proved.key, { parent_id: verified.id }),
    };
    const open = async () => {
      const listed = locations((await get("/sitemap.xml", young)).text).map(pathOf);
      const kinds: string[] = [];
      for (const [kind, { id }] of Object.entries(posts)) {
        const isOpen = !(await get(`/p/${id}`, young)).text.includes(
          '<meta name="robots" content="noindex">',
        );
        expect(listed.includes(`/p/${id}`), kind).toBe(isOpen);
        if (isOpen) kinds.push(kind);
      }
      return kinds;
    };
    expect(await open()).toEqual(["verified"]);
    now += DAY_MS;
    expect(await open()).toEqual(["unverified", "verified"]);
    await young.stop();
  });

  it.each([
    ["an empty board", false],
    ["a board with posts", true],
  ])("holds addresses that may be indexed and are their own: %s", async (_, isFilled) => {
    let now = Date.now();
    const other = await startBoard({ SITE_URL: SITE }, { clock: () => now });
    if (isFilled) {
      const { key } = await register(other);
      for (const kind of ["event", "thread"])
        await write(other, key, {
          kind,
          tags: ["jazz"],
          location: "Berlin",
          starts_at: new Date(now + 3_600_000).toISOString(),
        });
      now += DAY_MS;
    }
    const listed = locations((await get("/sitemap.xml", other)).text);
    const fixed = ["/", "/calendar", "/tags", "/places", ...DOCS_PATHS, "/stats", "/terms", "/privacy"];
    expect(listed.map(pathOf)).toEqual([
      ...[...fixed, "/llms.txt", "/llms-full.txt", "/skill.md"],
      ...(isFilled ? [1, 2, 3].map(() => expect.stringMatching(/^\/(p|publishers)\/\w+$/)) : []),
    ]);
    for (const url of listed) {
      const { status, text, headers } = await get(pathOf(url), other);
      expect(status, url).toBe(200);
      expect(text, url).not.toContain('content="noindex"');
      expect(headers.get("x-robots-tag"), url).toBeNull();
      if (headers.get("content-type")?.startsWith("text/html"))
        expect(/rel="canonical" href="([^"]*)"/.exec(text)?.[1], url).toBe(url);
    }
    const { text } = await get("/calendar?month=2031-01", other);
    expect(text).toContain('content="noindex"');
    await other.stop();
  });

  it("has every post once, newest first, even of equal times; what came since is added after ten minutes", async () => {
    let now = Date.UTC(2026, 10, 20);
    const full = await startBoard({ SITE_URL: SITE }, { clock: () => now });
    const { posts, publishers } = full.board.store;
    // A hundred posts share each moment.
    const create = async (count: number) => {
      now += 1;
      const { id: publisherId } = await register(full);
      await publishers.update(publisherId, { verifiedAt: now, verifiedVia: "dns" });
      const ids = Array.from({ length: count }, () => newPostId(null));
      const times = { createdAt: now, updatedAt: now, expiresAt: now + DAY_MS };
      await Promise.all(ids.map((id) => posts.insert(aPost(id, { publisherId, ...times }))));
      return ids.map((id) => `${SITE}/p/${id}`);
    };
    const urls: string[] = [];
    while (urls.length < 2_200) urls.push(...(await create(100)));

    const read = async () =>
      locations((await get("/sitemap.xml", full)).text).filter((url) => url.includes("/p/"));
    const listed = await read();
    expect(listed).toHaveLength(urls.length);
    expect(new Set(listed)).toEqual(new Set(urls));
    const arrived = await create(1);
    expect(await read()).toEqual(listed);
    now += 599_999;
    expect(await read()).toEqual(listed);
    now += 1;
    expect(await read()).toEqual([...arrived, ...listed]);
    await full.stop();
  });
});

describe("a sitemap that could not be written", () => {
  it("is written at the next request, not after ten minutes", async () => {
    await write(bare, (await register(bare)).key);
    const { posts } = bare.board.store;
    const many = posts.many.bind(posts);
    posts.many = () => Promise.reject(new Error("the disk does not answer"));
    expect((await get("/sitemap.xml", bare)).status).toBe(500);
    posts.many = many;
    expect((await get("/sitemap.xml", bare)).status).toBe(200);
  });
});

describe("the operator", () => {
  it("is named by the terms, the privacy page and the foot of each page", async () => {
    const named =
      'Its operator is reached at <a href="mailto:security@board.example">security@board.example</a>';
    for (const path of ["/terms", "/privacy"]) {
      const { text } = await get(path);
      expect(text).toContain(named);
      // The heading stands above the lead, and not in it.
      expect(text).not.toContain("<p># ");
    }
    expect((await get("/")).text).toContain('<a href="mailto:security@board.example">Contact</a>');
  });

  it("is said to be unnamed where no address was given", async () => {
    expect((await get("/terms", bare)).text).toContain("Its operator has named no address.");
    expect((await get("/", bare)).text).not.toContain(">Contact<");
  });
});

describe("well-known addresses", () => {
  it("have a security.txt that is good for 180 days, from the day it is read on", async () => {
    const expires = new Date(now - (now % DAY_MS) + 180 * DAY_MS).toISOString();
    expect((await get("/.well-known/security.txt")).text).toBe(
      `Contact: mailto:security@board.example\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ${SITE}/.well-known/security.txt\n`,
    );
  });

  it("have none without a contact, and refuse a contact that is not an address", async () => {
    const { status, text } = await get("/.well-known/security.txt", bare);
    expect([status, JSON.parse(text).error.code]).toEqual([404, "not_found"]);
    await expect(startBoard({ CONTACT: "call me" })).rejects.toThrow("CONTACT: must be a mail address");
  });

  it("have an API catalog", async () => {
    // RFC 9727, section 2: the answer to HEAD carries the relation.
    const head = await fetch(`${board.url}/.well-known/api-catalog`, { method: "HEAD" });
    expect(head.headers.get("link")).toBe(`<${SITE}/.well-known/api-catalog>; rel="api-catalog"`);
    const [{ anchor, ...relations }] = JSON.parse((await get("/.well-known/api-catalog")).text).linkset;
    expect(anchor).toBe(`${SITE}/api/v1`);
    const all = Object.entries(relations).map(([name, links]) => ({
      name,
      links: links as { href: string; type: string }[],
    }));
    expect(all.map(({ name, links }) => [name, ...links.map(({ href }) => pathOf(href))])).toEqual([
      ["service-desc", "/openapi.json"],
      ["service-doc", "/docs", "/llms.txt"],
      ["service-meta", "/mcp/server-card"],
      ["status", "/readyz"],
      ["terms-of-service", "/terms"],
      ["privacy-policy", "/privacy"],
    ]);
    expect(all[0]?.links[0]?.type).toBe("application/vnd.oai.openapi+json;version=3.1");
    // OpenAPI has a type of its own, which few programs know: it is served as JSON.
    for (const { href, type } of all.flatMap(({ links }) => links).slice(1))
      expect([href, (await get(pathOf(href))).headers.get("content-type")?.split(";")[0]]).toEqual([
        href,
        type,
      ]);
  });

  it("have a server card, the same at both addresses, with all its required members and for every origin", async () => {
    const header = {
      name: "Authorization",
      description: expect.any(String),
      isRequired: false,
      isSecret: true,
    };
    const cardAt = (root: string, name: string, doors: readonly string[]) => ({
      $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
      name,
      title: "Agent Board",
      description: expect.stringMatching(/^.{1,100}$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      websiteUrl: root,
      _meta: { "io.modelcontextprotocol/events": { events: ["post.replied", "post.matched"] } },
      icons: [{ src: `${root}/apple-touch-icon.png`, mimeType: "image/png", sizes: expect.anything() }],
      remotes: doors.map((path) => ({
        type: "streamable-http",
        url: root + path,
        supportedProtocolVersions: expect.arrayContaining(["2026-07-28", "2025-06-18"]),
        // Hosts that sign in send no key.
        ...(path === "/mcp/me" ? {} : { headers: [header] }),
      })),
    });
    const doors = ["/mcp", "/mcp/data", "/mcp/readonly"];
    const cardOf = async (on: typeof board) => JSON.parse((await get("/mcp/server-card", on)).text);
    expect(await cardOf(board)).toEqual(cardAt(SITE, "example.board/agent-board", doors));
    expect(await cardOf(bare)).toEqual(cardAt(bare.url, "127.0.0.1/agent-board", [...doors, "/mcp/me"]));
    for (const [site, name] of [
      ["http://[fd00::1]:8787", "fd00-1"],
      ["http://192.168.1.20:8787", "192.168.1.20"],
      ["http://localhost:8787", "localhost"],
      ["https://www.board.co.example", "example.co.board.www"],
    ] as const)
      expect(serverCard(new Site(site)).name).toBe(`${name}/agent-board`);
    const [one, two] = await Promise.all(
      ["/mcp/server-card", "/.well-known/mcp/server-card.json"].map((path) => get(path)),
    );
    expect(one?.text).toBe(two?.text);
  });

  it("have an AI catalog whose addresses exist", async () => {
    const { specVersion, host, entries } = JSON.parse((await get("/.well-known/ai-catalog.json")).text);
    expect([specVersion, host.displayName, host.documentationUrl]).toEqual([
      ...["1.0", "Agent Board", `${SITE}/llms.txt`],
    ]);
    expect(new Set(entries.map(({ identifier }: { identifier: string }) => identifier)).size).toBe(5);
    const index = JSON.parse((await get("/.well-known/agent-skills/index.json")).text);
    expect(index.$schema).toBe("https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    expect(entries.slice(1)).toMatchObject([
      {
        ...{ identifier: "urn:air:board.example:api:agent-board", displayName: "Agent Board, REST" },
        ...{ type: "application/vnd.oai.openapi+json;version=3.1", url: `${SITE}/openapi.json` },
      },
      ...index.skills.map(({ name, description }: Record<string, string>) => ({
        identifier: `urn:air:board.example:skill:${name}`,
        ...{ displayName: name, description, type: "text/markdown" },
      })),
    ]);
    expect(entries[0]).toEqual({
      identifier: "urn:air:board.example:mcp:agent-board",
      type: "application/mcp-server-card+json",
      url: `${SITE}/mcp/server-card`,
      tags: ["board", "search", "events"],
    });
    for (const { url, digest } of entries) {
      const { status, text } = await get(pathOf(url));
      expect([status, digest ?? sha256(text)], url).toEqual([200, sha256(text)]);
    }
  });

  it.each([
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
    "/.well-known/agent-card.json",
    "/.well-known/",
  ])("are a JSON 404 otherwise: %s", async (path) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(404);
    expect(headers.get("content-type")).toContain("application/json");
    expect(JSON.parse(text)).toMatchObject({ ok: false, error: { code: "not_found" } });
  });
});

describe("skills", () => {
  it("are three small files, and the index has their digests", async () => {
    const { text } = await get("/.well-known/agent-skills/index.json");
    const { version, skills } = JSON.parse(text);
    expect(version).toBe("0.2.0");
    const names = skills.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["search-the-board", "post-well", "watch-a-topic"]);
    for (const { name, type, url, digest, description } of skills) {
      const { text: file } = await get(pathOf(url));
      expect([type, digest]).toEqual(["skill-md", sha256(file)]);
      expect(Buffer.byteLength(file), name).toBeLessThan(1_500);
      expect(file.startsWith(`---\nname: ${name}\ndescription: "${description}"\n---\n`)).toBe(true);
      // Every tool and address that a skill mentions exists.
      for (const [, tool] of file.matchAll(/`(\w+)` \((?:GET|POST) /g)) {
        expect(board.board.catalog.tools.map((each) => each.name)).toContain(tool);
      }
    }
    expect((await get("/skills/nothing/SKILL.md")).status).toBe(404);
    const bounds = ["`radius_km` (default 25)", "`title` (≤200)", "`body` (≤8000)"];
    const files = await Promise.all(
      ["search-the-board", "post-well"].map((name) => get(`/skills/${name}/SKILL.md`)),
    );
    for (const bound of bounds) expect(files.map(({ text: file }) => file).join()).toContain(bound);
  });

  it("are introduced by /skill.md, and the tool server has the same files as resources", async () => {
    const { text } = await get("/skill.md");
    expect(text).toMatch(/^---\nname: agent-board\n/);
    const urls = [...text.matchAll(/\]\((\S+?)\)/g)].map(([, url]) => pathOf(url ?? ""));
    expect(urls).toHaveLength(3);
    const client = await mcpClient({ url: `${board.url}/mcp` });
    for (const path of urls) {
      expect(await client.read(path.replace("/skills/", "skill://"))).toBe((await get(path)).text);
    }
    await client.close();
  });
});

describe("llms-full.txt", () => {
  it("is the manual plus every operation with its call, parameters, examples and failures", async () => {
    const { text } = await get("/llms-full.txt");
    expect(text.startsWith((await get("/llms.txt")).text.trim())).toBe(true);
    expect(text).not.toContain("undefined");
    const tools = board.board.catalog.tools.map(({ name }) => name);
    for (const { name, title, rest, auth, input, failures } of board.board.catalog.operations) {
      const section = text.split("\n### ").find((part) => part.startsWith(`${title}\n`)) ?? "";
      expect(section, title).toContain(`${rest.method} ${rest.path}`);
      expect(section, title).toContain(auth === "key" ? "; needs a key; " : "; open; ");
      expect(section.includes(`; tool \`${name}\`;`), title).toBe(tools.includes(name));
      const { properties, required = [] } = jsonSchemaOf(input, "input") as Record<string, object>;
      for (const [field, { not: refused }] of Object.entries(properties ?? {})) {
        const mark = (required as string[]).includes(field) ? "*" : "";
        expect(section.includes(`- \`${field}\`${mark} `), title).toBe(refused === undefined);
      }
      for (const code of failures) expect(section, title).toContain(`\`${code}\``);
    }
  });
});

describe("place suggestions", () => {
  const placesFor = async (q: string) =>
    JSON.parse((await get(`/places?q=${encodeURIComponent(q)}`)).text).places;

  it("lists the largest places whose names begin so, with country and coordinates", async () => {
    const { status, headers, text } = await get("/places?q=ber");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("public, max-age=86400");
    const { places } = JSON.parse(text);
    expect(places[0]).toEqual({
      label: "Berlin, Germany",
      country: "DE",
      lat: expect.closeTo(52.52, 1),
      lng: expect.closeTo(13.41, 1),
    });
    expect(places).toHaveLength(8);
    expect((await placesFor("東京"))[0].label).toBe("Tokyo, Japan");
    for (const none of ["", "a".repeat(100)]) expect(await placesFor(none)).toEqual([]);
  });

  it("answers 304 to who has the list, and 400 with a hint for a query that is no name", async () => {
    const tag = (await get("/places?q=ber")).headers.get("etag") ?? "";
    expect((await fetch(`${board.url}/places?q=ber`, { headers: { "if-none-match": tag } })).status).toBe(
      304,
    );
    for (const path of ["/places?q=a&q=b", `/places?q=${"a".repeat(101)}`]) {
      const { status, text } = await get(path);
      expect([path, status, JSON.parse(text).error.code]).toEqual([path, 400, "invalid_query"]);
      expect(JSON.parse(text).error.hint).toContain("/places?q=ber");
    }
  });
});

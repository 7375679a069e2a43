import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptsInvite } from "../../src/domain/publishers/invites.ts";
import { sha256 } from "../../src/domain/secrets.ts";
import { openStore } from "../../src/store/open.ts";
import { runCommand } from "../support/boards/board-process.ts";
import { runHere } from "../support/boards/command.ts";
import { type FeedSource, startFeedSource } from "../support/boards/feed-source.ts";
import { useFolder } from "../support/boards/use.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";

const folder = useFolder();
const board = `sqlite:${folder}/board.db`;
let source: FeedSource;
let url = "";

beforeAll(async () => {
  source = await startFeedSource();
  url = `${source.origin}/news`;
  source.serve(
    "/news",
    '<rss version="2.0"><channel><title>T</title><item><title>News</title></item></channel></rss>',
  );
  await makeAt(board);
  writeFileSync(join(folder, "refused.jsonl"), '{"kind":"offer"}\n');
  writeFileSync(join(folder, "rows.jsonl"), '{"kind":"offer","title":"Bike","body":"A blue bike."}\n');
});
afterAll(() => source.close());

/** Makes a board with a post. */
async function makeAt(address: string): Promise<void> {
  const store = await openStore(address);
  await store.publishers.insert(aPublisher("pub_a"));
  await store.posts.insert(aPost("p1", { publisherId: "pub_a" }));
  await store.settings.setOnce("secret_key", "k".repeat(40));
  await store.close();
}

const given = (environment: Record<string, string>) => ({
  ...{ DATA_DIR: folder, STORE_URL: board, PORT: "0", WEBHOOK_ALLOW: "127.0.0.1" },
  ...environment,
});
const run = (args: readonly string[], environment: Record<string, string> = {}) =>
  runHere(args, given(environment));
/** @param script  runs before the program */
const start = (args: readonly string[], environment: Record<string, string> = {}, script = "") => {
  const before = ["--import", `data:text/javascript,${encodeURIComponent(script)}`];
  return runCommand(args, given(environment), { before });
};
const feed = () => ["--kind", "rss", "--name", "Town", "--license", "CC0-1.0"];

/** Commands in the order of their run on one board, and facts that they print. */
const FACTS: readonly (readonly [command: () => readonly string[], fact: object])[] = [
  [
    () => ["models", "list"],
    { models: expect.arrayContaining([expect.objectContaining({ dimension: 384 })]) },
  ],
  [() => ["secret-key"], { secret_key: "k".repeat(40) }],
  [() => ["publishers", "list"], { id: "pub_a", posts: 1 }],
  [() => ["publishers", "show", "pub_a"], { id: "pub_a" }],
  [() => ["publishers", "new-key", "pub_a"], { publisher: "pub_a", api_key: expect.stringMatching(/^bbk_/) }],
  [
    () => ["moderate", "hide", "p1", "--reason", "spam"],
    { action: "hide", reason: "spam", done: ["p1"], failed: [] },
  ],
  [() => ["moderate", "list"], { acts: [expect.objectContaining({ action: "hide", subject: "p1" })] }],
  [() => ["feeds", "test", url, "--kind", "rss"], { posts: [expect.objectContaining({ title: "News" })] }],
  [() => ["feeds", "add", url, ...feed()], { name: "Town", license: "CC0-1.0", entries: 1, refused: [] }],
  [() => ["import", join(folder, "rows.jsonl")], { added: 1, known: 0, refused: [] }],
  [() => ["backup", join(folder, "backup.jsonl.gz")], { file: join(folder, "backup.jsonl.gz") }],
  [() => ["publishers", "erase", "pub_a", "--yes"], { publisher: "pub_a", posts: 1, subscriptions: 0 }],
];

describe("--json prints facts on stdout, and nothing else there:", () => {
  it("of every command that prints some", async () => {
    const own = { STORE_URL: `sqlite:${folder}/facts.db` };
    await makeAt(own.STORE_URL);
    for (const [command, fact] of FACTS) {
      const args = command();
      const { code, stdout, stderr } = await run([...args, "--json"], own);
      expect({ code, stderr: code === 0 ? "" : stderr }, args.join(" ")).toEqual({ code: 0, stderr: "" });
      expect(stdout.split("\n"), args.join(" ")).toHaveLength(2);
      expect(JSON.parse(stdout), args.join(" ")).toMatchObject(fact);
    }
    const [{ id }] = JSON.parse((await run(["feeds", "list", "--json"], own)).stdout);
    for (const [act, fact] of [
      ["poll", { added: 1 }],
      ["pause", { id, paused: true }],
      ["resume", { id, paused: false }],
      ["remove", { id, removed: true }],
    ] as const) {
      expect(JSON.parse((await run(["feeds", act, id, "--json"], own)).stdout)).toMatchObject(fact);
    }
    const elsewhere = { DATA_DIR: join(folder, "else"), STORE_URL: `sqlite:${folder}/else/board.db` };
    const restored = await run(["restore", join(folder, "backup.jsonl.gz"), "--json"], elsewhere);
    expect(JSON.parse(restored.stdout)).toMatchObject({ imported: true, posts: 2 });
  });
});

describe("agent-board feeds", () => {
  it("shows ten posts of a feed and counts the others, and adds a feed once", async () => {
    const items = Array.from({ length: 12 }, (_, n) => `<item><title>News ${n}</title></item>`);
    source.serve("/long", `<rss version="2.0"><channel><title>T</title>${items.join("")}</channel></rss>`);
    const long = `${source.origin}/long`;
    const { stdout } = await run(["feeds", "test", long, "--kind", "rss"]);
    expect(stdout).toMatch(/^12 posts; not posted: 0 over/);
    expect(stdout.match(/^ {2}announcement: News/gm)).toHaveLength(10);
    expect(stdout).toContain("\n  and 2 more\n");
    expect((await run(["feeds", "add", long, ...feed()])).code).toBe(0);
    expect(await run(["feeds", "add", long, ...feed(), "--name", "Another name"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^This feed is there already: feed_\w+\.\n$/),
    });
  });

  it("shows what readers will see of an entry, and what was not taken", async () => {
    const event = (uid: string, ...lines: string[]) =>
      ["BEGIN:VEVENT", `UID:${uid}`, ...lines, "END:VEVENT"].join("\r\n");
    const events = [
      event("a", "SUMMARY:Choir", "DTSTART:20991205T180000Z", "DTEND:20991205T200000Z", "LOCATION:Town Hall"),
      event("b", "SUMMARY:Over", "DTSTART:20201205T180000Z"),
      event("c", "SUMMARY:Off", "DTSTART:20991206T180000Z", "STATUS:CANCELLED"),
      event("d", "SUMMARY:Odd", "DTSTART:someday"),
      event(
        "e",
        "SUMMARY:Ride",
        "DESCRIPTION:By  bike.",
        "DTSTART:20991207T180000",
        "URL:https://a.example/r",
      ),
    ];
    source.serve("/shown.ics", ["BEGIN:VCALENDAR", ...events, "END:VCALENDAR", ""].join("\r\n"));
    const options = ["--kind", "ics", "--tag", "town", "--tag", "out", "--place", "The quay"];
    const zone = ["--timezone", "Europe/Berlin"];
    expect(await run(["feeds", "test", `${source.origin}/shown.ics`, ...options, ...zone])).toEqual({
      code: 0,
      stderr: "",
      stdout: `2 posts; not posted: 1 over, 1 cancelled or private, 0 above what a feed may have, 1 refused
  event: Choir
    Sat 2099-12-05 19:00–21:00 Europe/Berlin · Town Hall · town, out
  event: Ride
    Mon 2099-12-07 18:00 Europe/Berlin · The quay · town, out · https://a.example/r
    By bike.
  refused: Odd: "someday" is no time.
`,
    });
  });

  it("tells in words how each feed stands, polled, failing, paused and removed", async () => {
    const place = { STORE_URL: `sqlite:${folder}/feeds.db` };
    await (await openStore(place.STORE_URL)).close();
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(["feeds", ...args], place);
      return code === 0 ? stdout : stderr;
    };
    expect(await said("list")).toBe(
      "No feeds. Add one: agent-board feeds add URL --kind ics --name … --license …\n",
    );
    const rows = (...ids: string[]) =>
      source.serve("/rows", ids.map((id) => JSON.stringify({ id, title: `Note ${id}` })).join("\n"));
    rows("1", "2", "3");
    const options = ["--kind", "jsonl", "--license", "CC0-1.0"];
    const added = async (path: string, name: string) => {
      const line = await said("add", source.origin + path, "--name", name, ...options);
      expect(line).toMatch(/^feed_\w+ added: \d+ (entry|entries) now, 0 refused\. Publisher pub_\w+\.\n$/);
      return line.split(" ")[0] ?? "";
    };
    const id = await added("/rows", "Rows");
    source.serve("/other", '{"id":"1","title":"Other"}');
    const other = await added("/other", "Other");
    const about = `${id}\tjsonl\tRows\tCC0-1.0\t${source.origin}/rows\t`;
    const aboutOther = `${other}\tjsonl\tOther\tCC0-1.0\t${source.origin}/other\t`;
    const fresh = "never polled\t0 added, 0 changed, 0 retired\n";
    expect(await said("list")).toBe(`${about}${fresh}${aboutOther}${fresh}`);

    const polled = "3 added, 0 changed, 0 retired, 0 posted by others already, 0 left for later\n";
    expect([await said("poll", id), await said("poll", id)]).toEqual([polled, "unchanged\n"]);
    rows("1");
    const missing =
      "nothing done, since most posts are missing (2); if the next poll says so too, they end\n";
    expect(await said("poll", id)).toBe(missing);
    source.answers.set("/other", (_request, response) => response.writeHead(503).end());
    for (const n of [1, 2]) {
      expect(await said("poll", other)).toBe("The source answered 503.\n");
      const failed = n === 1 ? "failed 1 time" : "failed 2 times";
      const [own, theirs] = (await said("list")).split("\n");
      expect(own).toMatch(/\tpolled 20[-\dT:.]+Z\t3 added, 0 changed, 0 retired$/);
      expect(theirs?.replace(/polled 20[-\dT:.]+Z/, "polled")).toBe(
        `${aboutOther}polled\t${failed}: The source answered 503.`,
      );
    }
    expect([await said("pause", id), await said("list")]).toEqual([
      `${id} paused\n`,
      expect.stringContaining(`${about}paused\t3 added`),
    ]);
    expect(await said("resume", id)).toBe(`${id} resumed\n`);
    expect(await said("remove", id)).toBe(`${id} removed with its posts\n`);
    expect(await said("list")).toMatch(new RegExp(`^${other}\t.*\n$`));
    expect(await said("poll", id)).toBe(`No feed ${id}. \`agent-board feeds list\` names them.\n`);
  });
});

describe("exit codes, and what is said of a slip of the fingers", () => {
  it.each([
    [0, ["--version"], {}, ""],
    [1, ["feeds", "poll", "feed_none"], {}, "feed_none"],
    // A store that cannot be asked is none where nothing was ever written.
    [1, ["moderate", "list"], { STORE_URL: "mongodb://" }, "STORE_URL is no connection string of MongoDB.\n"],
    [1, ["restore", "no-such-file"], {}, "no-such-file"],
    [1, ["doctor"], { PORT: "http" }, ""],
    [2, ["moderate", "list"], { PORT: "http" }, "PORT"],
    [2, ["docter"], {}, "Did you mean doctor?"],
    [2, ["feeds", "lits"], {}, "Did you mean list?"],
    [2, ["feeds", "list", "--jsno"], {}, "Did you mean --json?"],
    [2, ["--prot"], {}, "unknown option '--prot'"],
    [2, ["feeds", "add", "https://a.example/x"], {}, "--kind"],
    [2, ["moderate", "list", "--limit", "none"], {}, "--limit"],
    [2, ["backup", "--keep", "0", "."], {}, "--keep"],
    [2, ["publishers", "invite", "--days", "0"], {}, "--days"],
    [2, ["publishers", "invite", "--days", "366"], {}, "--days"],
    [1, ["import", join(folder, "refused.jsonl")], {}, ""],
    [2, ["stdio", "--url", "ftp://board.example"], {}, "url"],
    [2, ["complete", "csh"], {}, "csh"],
    // No machine owns an address of TEST-NET-1 (RFC 5737).
    [1, [], { HOST: "192.0.2.1" }, "HOST: 192.0.2.1 is no address"],
    [2, [], { DATA_DIR: join(folder, "refused.jsonl/data") }, "DATA_DIR: the folder cannot be made"],
    // Nobody can make a folder there. Node's own recursive mkdir would try for ever.
    [2, [], { DATA_DIR: "/proc/nowhere" }, "DATA_DIR: the folder cannot be made"],
    [1, [], { STORE_URL: "sqlite:/proc/nowhere/board.db" }, "/proc/nowhere/board.db cannot be opened"],
    [2, ["feeds", "test", "a.example", "--kind", "rss"], {}, "a.example"],
  ] as const)("%i: agent-board %j %j", async (code, args, environment, said) => {
    // A board that cannot listen ends its process.
    const ran = await (args.length === 0 ? start : run)(args, environment);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(said);
    if (args.length === 0) expect(ran.stderr).toMatch(/^.*\n$/);
  });
});

describe("before the board is loaded", () => {
  const { version, engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const runWith = (script: string, args: readonly string[]) => start(args, {}, script);
  /** Fails when a part of the board is loaded: every part loads the schemas. */
  const NOTHING_LOADED = `import { register } from "node:module"; register("data:text/javascript," + encodeURIComponent(
    "export const resolve = (name, context, next) => { if (name === 'zod') throw new Error('loaded'); return next(name, context); }"))`;

  it.each([
    [["--help"], "moderate"],
    [["--version"], `${version}\n`],
    [["help"], "publishers"],
    [["complete", "bash"], "agent-board"],
    [["complete", "--", "mod"], "models\t"],
  ] as const)("%j is answered", async (args, said) => {
    expect(await runWith(NOTHING_LOADED, args)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(said),
    });
  });

  it("but not what needs it", async () => {
    expect((await runWith(NOTHING_LOADED, ["models", "list"])).code).toBe(1);
  });

  it("an older Node is told which one the board needs", async () => {
    const older =
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })";
    const needed = engines.node.replace(">=", "");
    expect(await runWith(older, ["doctor"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(needed),
    });
  });
});

it("agent-board models lists what each model is, with a star at the configured one", async () => {
  const lines = (await run(["models", "list"])).stdout.split("\n");
  const facts = [" 384 dimensions", "256 tokens", "Apache-2.0", ""].join(" +");
  expect(lines[0]).toMatch(new RegExp(`^\\* all-MiniLM-L6-v2 +\\d\\d MB ${facts}`));
  expect(lines.filter((line) => line.startsWith("*"))).toHaveLength(1);
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}multilingual +Xenova\/multilingual-e5-small, at/));
  expect(lines.at(-2)).toMatch(/^ {2}runtime {15}\S/);
});

describe("agent-board secret-key", () => {
  it("tells a board that was never started from one whose key is in its environment", async () => {
    const place = { STORE_URL: `sqlite:${folder}/key.db` };
    const told = async (environment = {}) => (await run(["secret-key"], { ...place, ...environment })).stderr;
    await (await openStore(place.STORE_URL)).close();
    expect(await told()).toBe("This board was never started: it has no secret key yet.\n");
    const store = await openStore(place.STORE_URL);
    await store.settings.set("secret_key_check", "x");
    await store.close();
    expect(await told()).toBe("This board runs with the SECRET_KEY of its environment: set it here too.\n");
    const SECRET_KEY = "s".repeat(40);
    expect((await run(["secret-key"], { ...place, SECRET_KEY })).stdout).toBe(`${SECRET_KEY}\n`);
  });
});

describe("a command where there is no board", () => {
  it.each([["publishers", "list"], ["moderate", "list"], ["secret-key"], ["export"], ["feeds", "poll", "x"]])(
    "makes none, and names where it looked and what to set: %s",
    async (...args) => {
      const empty = mkdtempSync(join(folder, "none-"));
      const store = `sqlite:${empty}/board.db`;
      const { code, stderr } = await run(args, { DATA_DIR: empty, STORE_URL: store });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^There is no board/) });
      expect(stderr).toContain(`no board at ${store}`);
      expect(stderr).toContain("DATA_DIR");
      expect(readdirSync(empty)).toEqual([]);
    },
  );
});

describe("agent-board publishers", () => {
  const place = { STORE_URL: `sqlite:${folder}/publishers.db` };
  beforeAll(async () => {
    const store = await openStore(place.STORE_URL);
    await store.publishers.insert(aPublisher("pub_a", { name: "Bike Kitchen", createdAt: 1 }));
    await store.publishers.insert(aPublisher("pub_b", { name: "Cello Room", createdAt: 2 }));
    await store.posts.insert(aPost("p1", { publisherId: "pub_b" }));
    await store.close();
  });

  it("lists who writes here, newest first, without the hashes of keys", async () => {
    const { stdout } = await run(["publishers", "list"], place);
    expect(stdout).toMatch(/^pub_b\t.*\t1 post\t.*\tCello Room\npub_a\t/);
    expect((await run(["publishers", "list", "--json"], place)).stdout).not.toMatch(/hash/i);
  });

  it("lists those since a time or of the last day, so many, and behind a page", async () => {
    const at = { STORE_URL: `sqlite:${folder}/registered.db` };
    const store = await openStore(at.STORE_URL);
    const hour = 3_600_000;
    const hours = { pub_23: 23, pub_25: 25, pub_3: 3 * 24, pub_4: 4 * 24 };
    for (const [id, ago] of Object.entries(hours))
      await store.publishers.insert(aPublisher(id, { createdAt: Date.now() - ago * hour }));
    await store.publishers.update("pub_3", { verifiedAt: 1, verifiedVia: "dns" });
    await store.publishers.update("pub_4", { verifiedAt: 1, verifiedVia: "dns", suspendedAt: 1 });
    await store.close();
    const listed = async (...args: string[]) => {
      const { stdout } = await run(["publishers", "list", ...args], at);
      return stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t"));
    };
    const ids = async (...args: string[]) => (await listed(...args)).map(([id]) => id);
    expect(await ids("--new")).toEqual(["pub_23"]);
    expect(await ids("--since", "26 hours ago")).toEqual(["pub_23", "pub_25"]);
    expect(await ids("--limit", "3")).toEqual(["pub_23", "pub_25", "pub_3"]);
    expect(await ids("--limit", "1", "--before", "pub_25")).toEqual(["pub_3"]);
    expect((await listed()).map(([, , , state]) => state)).toEqual(["", "", "verified", "suspended"]);
    const shown = JSON.parse((await run(["publishers", "show", "pub_4"], at)).stdout);
    expect(shown).toMatchObject({
      verified_via: "dns",
      suspended_at: new Date(1).toISOString(),
      url: "https://example.org/",
    });
  });

  it("makes codes for a registration: one that is good for two weeks, or as told", async () => {
    const made = async (...args: string[]): Promise<string[]> =>
      (await run(["publishers", "invite", ...args], place)).stdout.trimEnd().split("\n");
    const [[code, ...more], short] = [await made(), await made("--count", "3", "--days", "1")];
    expect([more, short.length, new Set(short).size]).toEqual([[], 3, 3]);
    const store = await openStore(place.STORE_URL);
    const day = 86_400_000;
    const used = (one: string | undefined, days: number) =>
      acceptsInvite(store, one, Date.now() + days * day);
    expect([await used(code, 14), await used(code, 13.99), await used(code, 1)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([await used(short[0], 1), await used(short[1], 0.99)]).toEqual([false, true]);
    await store.close();
  });

  it("shows one, by its id or the address of its page, without its key", async () => {
    const about = {
      ...{
        id: "pub_b",
        name: "Cello Room",
        description: "Posts what happens in town.",
        url: "https://example.org/",
      },
      ...{
        domain: "example.org",
        verified_via: null,
        suspended_at: null,
        posts: 1,
        created_at: new Date(2).toISOString(),
      },
    };
    for (const named of ["pub_b", "https://board.example/publishers/pub_b"]) {
      const { stdout } = await run(["publishers", "show", named], place);
      expect(stdout).toBe(`${JSON.stringify(about, null, 2)}\n`);
    }
  });

  it("gives a new key for a lost one, and erases only when told twice", async () => {
    const { stdout } = await run(["publishers", "new-key", "pub_a"], place);
    const unsure = await run(["publishers", "erase", "pub_b"], place);
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    const erased = await run(["publishers", "erase", "pub_b", "--yes"], place);
    expect(erased.stdout).toBe("erase pub_b: 1 post, 0 saved queries\n");
    const nobody = await run(["publishers", "show", "pub_b"], place);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringMatching(/^There is no publisher pub_b/) });
    const store = await openStore(place.STORE_URL);
    expect((await store.publishers.byKeyHash(sha256(stdout.trim())))?.id).toBe("pub_a");
    await store.close();
  });
});

describe("completion", () => {
  it.each(["zsh", "fish", "powershell"])("%s gets a script that asks the program", async (shell) => {
    const { code, stdout } = await run(["complete", shell]);
    expect(code).toBe(0);
    expect(stdout).toContain("agent-board complete");
  });

  it.each([
    [["fe"], /^feeds\t/m],
    [["feeds", ""], /^poll\t/m],
    [["doctor", "--j"], /^--json\t/m],
  ] as const)("of %j offers what exists", async (args, offer) => {
    expect((await run(["complete", "--", ...args])).stdout).toMatch(offer);
  });
});

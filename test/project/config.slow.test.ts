import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/board/failures.ts";
import { misspelt, readConfig, siteRoot, VARIABLES } from "../../src/config.ts";
import { DEFAULT_IDENTITY } from "../../src/domain/site.ts";
import { openBoard } from "../../src/open-board.ts";
import { fileOf } from "../../src/store/sqlite/database/connection.ts";
import { startBoard } from "../support/boards/board.ts";
import { runCommand } from "../support/boards/board-process.ts";
import { call, register } from "../support/boards/client.ts";
import { write } from "../support/boards/writing.ts";
import { startWebhook, subscribeTo } from "../support/clients/webhooks.ts";

/** The lines an operator reads for these variables. */
function mistakes(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
}

describe("configuration", () => {
  it("has a default for everything", () => {
    expect(readConfig({})).toEqual({
      port: 8787,
      host: "127.0.0.1",
      siteUrl: null,
      dataDir: resolve("data"),
      storeUrl: `sqlite:${join(resolve("data"), "board.db")}`,
      search: "auto",
      modelDir: join(resolve("data"), "models"),
      embeddings: "auto",
      embeddingModel: null,
      trustProxy: false,
      keepAliveS: 75,
      rateLimits: "on",
      readOnly: false,
      signIn: false,
      webhookAllow: [],
      allowedHosts: [],
      registration: "open",
      holdFirstPosts: 0,
      operatorKeys: [],
      reportsToHide: 5,
      reportWebhook: null,
      secretKey: null,
      adminPort: null,
      adminHost: "127.0.0.1",
      identity: DEFAULT_IDENTITY,
      contact: null,
      aiTraining: false,
      logLevel: "info",
    });
  });

  it.each<[name: string, value: string, read: unknown]>([
    ["PORT", "0", 0],
    ["HOST", "::", "::"],
    ["SITE_URL", "https://board.example/", "https://board.example"],
    ["DATA_DIR", "/srv/board", "/srv/board"],
    ["MODEL_DIR", "", join(resolve("data"), "models")],
    ["EMBEDDINGS", "required", "required"],
    ["TRUST_PROXY", "10.0.0.0/8, ::1", ["10.0.0.0/8", "::1"]],
    ["TRUST_PROXY", "off", false],
    ["TRUST_PROXY", "2", 2],
    ["KEEP_ALIVE_S", "5", 5],
    ["MODEL_DIR", "/srv/models", "/srv/models"],
    ["EMBEDDING_MODEL", "small", "small"],
    ["ADMIN_HOST", "0.0.0.0", "0.0.0.0"],
    ["AI_TRAINING", "on", true],
    ["REGISTRATION", "closed", "closed"],
    ["RATE_LIMITS", "off", "off"],
    [
      "RATE_LIMITS",
      "search=600/60, write_day=2/3600",
      { search: { count: 600, seconds: 60 }, write_day: { count: 2, seconds: 3600 } },
    ],
    ["READ_ONLY", "on", true],
    ["SIGN_IN", "on", true],
    ["SEARCH", "atlas", "atlas"],
    ["WEBHOOK_ALLOW", "10.0.0.0/8, hooks.internal,::1,", ["10.0.0.0/8", "hooks.internal", "::1"]],
    ["ALLOWED_HOSTS", "a.example, b.example", ["a.example", "b.example"]],
    ["REPORTS_TO_HIDE", "0", 0],
    ["REGISTRATION", "invite", "invite"],
    ["HOLD_FIRST_POSTS", "3", 3],
    ["SECRET_KEY", "k".repeat(32), "k".repeat(32)],
    ["ADMIN_PORT", "9090", 9090],
    ["LOG_LEVEL", "silent", "silent"],
    ["KEEP_ALIVE_S", "120", 120],
    ["EMBEDDING_MODEL", "multilingual", "multilingual"],
    ["MODEL_DIR", "/srv/models", "/srv/models"],
    ["TRUST_PROXY", "2", 2],
    ["RATE_LIMITS", "off", "off"],
    [
      "RATE_LIMITS",
      "search=600/60, write_many=0/3600",
      { search: { count: 600, seconds: 60 }, write_many: { count: 0, seconds: 3600 } },
    ],
    ["ADMIN_PORT", "off", null],
    ["ADMIN_HOST", "::1", "::1"],
    ["AI_TRAINING", "on", true],
    ["CONTACT", "tel:+441234567", "tel:+441234567"],
    // A file for `docker run` brings its quotes and line ends along.
    ["HOST", '"0.0.0.0"\r', "0.0.0.0"],
    ["HOST", "'0.0.0.0'", "0.0.0.0"],
    ["SECRET_KEY", `"${"k".repeat(32)}'`, `"${"k".repeat(32)}'`],
  ])("reads %s=%s, and an empty one as unset", (name, value, read) => {
    const field = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(readConfig({ [name]: value })).toMatchObject({ [field]: read });
    expect(readConfig({ [name]: "" })).toEqual(readConfig({}));
  });

  it("reads who the board is", () => {
    const own = { BOARD_NAME: " Leeds board ", BOARD_DESCRIPTION: "What is on.", BOARD_LANGUAGE: "fr" };
    expect(readConfig({ ...own, HOME_PLACE: "Leeds" }).identity).toEqual({
      name: "Leeds board",
      description: "What is on.",
      language: "fr",
      homePlace: "Leeds",
    });
    expect(readConfig({ HOME_PLACE: "53.8,-1.55" }).identity.homePlace).toBe("53.8,-1.55");
    expect(mistakes({ HOME_PLACE: "Xyzzyville" })).toEqual([
      expect.stringMatching(/^HOME_PLACE: No town or district of this name is known\./),
    ]);
    expect(mistakes({ BOARD_NAME: "  " })).toEqual(["BOARD_NAME: must not be blank"]);
  });

  it("takes DATA_DIR literally, also with percent signs", () => {
    for (const dataDir of ["/x/a%20b", "/x/100%", "/x/50%/a%20b%", "/x/a b#c?d"]) {
      expect(fileOf(readConfig({ DATA_DIR: dataDir }).storeUrl)).toBe(`${dataDir}/board.db`);
    }
  });

  it("reads what the board is called and where reports go, also in quotes or with the line ends of Windows", () => {
    const settings = {
      ...{ BOARD_NAME: '"The mill\'s board"', BOARD_DESCRIPTION: "'What is on.'", BOARD_LANGUAGE: "pt-BR\r" },
      ...{ HOME_PLACE: "Leipzig", CONTACT: '"tel:+49123"\r', REPORT_WEBHOOK: "https://desk.example/x" },
      REPORT_WEBHOOK_SECRET: `whsec_${"A".repeat(32)}`,
    };
    expect(readConfig(settings)).toEqual({
      ...readConfig({}),
      identity: {
        ...{ name: "The mill's board", description: "What is on.", language: "pt-BR", homePlace: "Leipzig" },
      },
      contact: "tel:+49123",
      reportWebhook: { url: "https://desk.example/x", secret: `whsec_${"A".repeat(32)}` },
    });
    for (const name of ["REPORT_WEBHOOK", "REPORT_WEBHOOK_SECRET"] as const)
      expect(mistakes({ [name]: settings[name] })).toEqual([
        "REPORT_WEBHOOK: needs REPORT_WEBHOOK_SECRET, and the other way round",
      ]);
  });

  it("has the root of its links from SITE_URL, else from the port on this machine", () => {
    const roots = [{}, { PORT: "9000" }, { PORT: "9000", SITE_URL: "https://Board.Example" }];
    expect(roots.map((settings) => siteRoot(readConfig(settings)))).toEqual([
      ...["http://localhost:8787", "http://localhost:9000", "https://board.example"],
    ]);
  });

  it("takes MONGODB_URI for STORE_URL, which has precedence", () => {
    expect(readConfig({ MONGODB_URI: "mongodb://db/board" }).storeUrl).toBe("mongodb://db/board");
    expect(readConfig({ MONGODB_URI: "mongodb://db/board", STORE_URL: "sqlite:/x.db" }).storeUrl).toBe(
      "sqlite:/x.db",
    );
  });

  it.each(
    (
      [
        ["PORT", "must be a port number", "http"],
        ["PORT", "must be at most 65535", "65536"],
        ["SITE_URL", "must be an http or https URL", "board.example"],
        [
          "SITE_URL",
          "must be a site's root, without a path or credentials",
          ...["https://board.example/path", "https://me:secret@board.example"],
        ],
        [
          "ALLOWED_HOSTS",
          "must be host names, such as board.example",
          ...["a.example,https://b.example", "a.example b.example"],
        ],
        ["STORE_URL", "must start with sqlite:, mongodb:// or mongodb+srv://", "postgres://x"],
        ["EMBEDDINGS", "must be auto, required or off", "yes"],
        [
          "TRUST_PROXY",
          "must be off, a number of hops, or a list of addresses and CIDR blocks",
          ...["true", "10.0.0.0/99", "1.2.3.4, abc"],
        ],
        ["RATE_LIMITS", "must be on, off, or NAME=COUNT/SECONDS,…", "search=many", "search=5/0"],
        ["READ_ONLY", "must be on or off", "true"],
        ["SEARCH", "must be auto, local or atlas", "none"],
        ["WEBHOOK_ALLOW", "must be CIDR blocks, addresses or host names", "10.0.0.0/99", "http://hooks"],
        ["REPORTS_TO_HIDE", "must be a whole number", "-1"],
        ["SECRET_KEY", "must have at least 32 characters", "short"],
        ["LOG_LEVEL", "must be trace, debug, info, warn, error, fatal or silent", "loud"],
        ["ADMIN_PORT", "must be off or a port number", "on"],
        ["KEEP_ALIVE_S", "must be a number of seconds from 1 to 9999", "75s"],
        ["REGISTRATION", "must be open, closed or invite", "on"],
        ["HOLD_FIRST_POSTS", "must be a whole number from 0 to 999", "all"],
        ["REPORT_WEBHOOK_SECRET", "must be whsec_ and base64 of 24 to 64 bytes", "secret"],
        ["BOARD_NAME", "must not be blank", " "],
        ["BOARD_LANGUAGE", "must be a language tag, such as en or pt-BR", "in English"],
        ["CONTACT", "must be a mail address or an https URL", "a@b@c"],
      ] as const
    ).flatMap(([name, rule, ...values]) => values.map((value) => [name, value, rule] as const)),
  )("refuses %s=%s with one clear line", (name, value, rule) => {
    expect(mistakes({ [name]: value })).toEqual([`${name}: ${rule}`]);
  });

  it.each([
    ["PORT", "65535", "65536"],
    ["KEEP_ALIVE_S", "1", "0"],
    ["KEEP_ALIVE_S", "9999", "10000"],
    ["TRUST_PROXY", "99", "100"],
    ["TRUST_PROXY", "10.0.0.0/8", "10/8"],
    ["RATE_LIMITS", "search=999999999/1", "search=1000000000/1"],
    ["RATE_LIMITS", "search=0/1", "search=1/0"],
    ["REPORTS_TO_HIDE", "999999", "1000000"],
    ["HOLD_FIRST_POSTS", "999", "1000"],
    ["OPERATOR_KEY", "k".repeat(200), "k".repeat(201)],
    ["OPERATOR_KEY", `${"n".repeat(30)}:${"k".repeat(200)}`, `${"n".repeat(31)}:${"k".repeat(200)}`],
    ["SECRET_KEY", "k".repeat(32), "k".repeat(31)],
    ["BOARD_NAME", "n".repeat(60), "n".repeat(61)],
    ["BOARD_NAME", "Two words", "Two\nlines"],
    ["BOARD_DESCRIPTION", "d".repeat(300), "d".repeat(301)],
    ["BOARD_LANGUAGE", "pt-BR", "Portuguese of Brazil"],
    ["CONTACT", "anna@board.example", "anna"],
    ["CONTACT", "https://board.example/contact", "http://board.example/contact"],
  ])("takes %s up to %s, and not %s", (name, last, beyond) => {
    expect(mistakes({ [name]: last })).toEqual([]);
    expect(mistakes({ [name]: beyond })).toEqual([expect.stringMatching(`^${name}: `)]);
  });

  it("names what is a letter away from a variable of five letters or more", () => {
    const strange = { SITE_URLS: "", SITE_UR: "", RATE_LIMIT: "", PORTS: "", HOSTS: "", XITE_URLS: "" };
    expect(misspelt({ ...strange, SITE_URL: "" })).toEqual([
      "SITE_URLS is no setting of the board; SITE_URL is one.",
      "SITE_UR is no setting of the board; SITE_URL is one.",
      "RATE_LIMIT is no setting of the board; RATE_LIMITS is one.",
    ]);
  });

  it("takes a mail address as the contact's URI", () => {
    expect(readConfig({ CONTACT: "anna@board.example" }).contact).toBe("mailto:anna@board.example");
  });

  it.each([
    ["https://board.example", true],
    ["http://localhost:8787", true],
    ["http://127.0.0.1", true],
    ["http://[::1]:8787", true],
    ["http://board.example", false],
    ["http://localhost.example", false],
  ])("signs people in, and operators, at %s: %s", (SITE_URL, may) => {
    const why = (name: string) =>
      may ? [] : [`${name}: needs a SITE_URL with https, except on this machine`];
    expect(mistakes({ SIGN_IN: "on", SITE_URL })).toEqual(why("SIGN_IN"));
    expect(mistakes({ OPERATOR_KEY: "k".repeat(24), SITE_URL })).toEqual(why("OPERATOR_KEY"));
  });

  it("takes one key of an operator, or several with names", () => {
    const [anna, bot] = ["a".repeat(24), "b".repeat(30)];
    const keysOf = (sent: string) => readConfig({ OPERATOR_KEY: sent }).operatorKeys;
    expect(keysOf(`${anna}==`)).toEqual([{ name: null, key: `${anna}==` }]);
    expect(keysOf(`anna:${anna}, bot:${bot}`)).toEqual([
      { name: "anna", key: anna },
      { name: "bot", key: bot },
    ]);
    const short = ["OPERATOR_KEY: needs keys of 24 characters or more"];
    expect(mistakes({ OPERATOR_KEY: "a".repeat(23) })).toEqual(short);
    expect(mistakes({ OPERATOR_KEY: `anna:${"a".repeat(23)}` })).toEqual(short);
    for (const sent of [`${anna},${bot}`, `bot:${anna},bot:${bot}`])
      expect(mistakes({ OPERATOR_KEY: sent })).toEqual([
        "OPERATOR_KEY: must give each of several keys a name of its own, as in anna:KEY,bot:KEY",
      ]);
  });

  it("refuses one port for the board and its metrics", () => {
    expect(mistakes({ PORT: "9090", ADMIN_PORT: "9090" })).toEqual(["ADMIN_PORT: must not be PORT"]);
    // Any free one is another one.
    expect(mistakes({ PORT: "0", ADMIN_PORT: "0" })).toEqual([]);
  });

  it("names every mistake at once", () => {
    const lines = mistakes({ PORT: "x", READ_ONLY: "x", EMBEDDINGS: "x", STORE_URL: "x" });
    const names = lines.map((line) => line.split(":")[0]).sort();
    expect(names).toEqual(["EMBEDDINGS", "PORT", "READ_ONLY", "STORE_URL"]);
  });

  it("refuses a policy that does not exist, and names those that do", async () => {
    await expect(startBoard({ RATE_LIMITS: "serach=5/60" })).rejects.toThrow(
      /RATE_LIMITS: serach is no policy; there are read, search, write/,
    );
  });

  it("documents every variable", () => {
    const operating = readFileSync(new URL("../../docs/install.md", import.meta.url), "utf8");
    const rows = operating.split("\n").filter((line) => line.startsWith("| `"));
    for (const name of VARIABLES) {
      const row = rows.find((line) => line.includes(`\`${name}\``));
      expect(row?.split(" | ")[2], name).toMatch(/\w/);
    }
  });

  it("makes SECRET_KEY at the first start and keeps it, so ids of idempotency keys stay the same", async () => {
    const first = await startBoard();
    const { key } = await register(first);
    const { id } = await write(first, key, { idempotency_key: "same" });
    const again = await startBoard({}, { dataDir: first.dataDir });
    const input = { title: "x", body: "y", idempotency_key: "same" };
    const replay = await call(again, "POST /posts", input, { key });
    expect([replay.status, replay.body.data.id]).toEqual([200, id]);
    await again.stop();
    await first.stop();
  });

  it("refuses a start with another SECRET_KEY than the board's, until the operator changes it", async () => {
    const first = await startBoard({ SECRET_KEY: "k".repeat(40) });
    const { dataDir } = first;
    const SECRET_KEY = "l".repeat(40);
    for (const environment of [{ SECRET_KEY }, {}]) {
      const config = readConfig({ DATA_DIR: dataDir, EMBEDDINGS: "off", ...environment });
      const opening = openBoard(config, { logger: pino({ level: "silent" }) });
      await expect(opening).rejects.toThrow(/^SECRET_KEY: /);
    }
    const change = (PORT: string) =>
      runCommand(["secret-key", "--change"], { DATA_DIR: dataDir, SECRET_KEY, PORT });
    const { port } = new URL(first.url);
    expect(await change(port)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("stop every process"),
    });
    // Nothing is changed: the board starts with its own key.
    await first.stop();
    await (await startBoard({ SECRET_KEY: "k".repeat(40) }, { dataDir })).stop();
    expect((await change(port)).code).toBe(0);
    const again = await startBoard({ SECRET_KEY }, { dataDir });
    await again.stop();
  });

  it("with RATE_LIMITS=off limits nothing, calls to a webhook at its owner's request neither", async () => {
    const [board, webhook] = [await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" }), await startWebhook()];
    const { key } = await register(board);
    const { id } = await subscribeTo(board, key, webhook, { q: "bike" });
    for (let n = 0; n < 11; n += 1) {
      const { status } = await call(board, `POST /subscriptions/${id}/test`, undefined, { key });
      expect(status).toBeLessThan(300);
    }
    await board.stop();
    await webhook.stop();
  });

  it("with READ_ONLY refuses every write and answers every read", async () => {
    const first = await startBoard();
    const { id, key } = await register(first);
    const { id: post } = await write(first, key);
    const board = await startBoard({ READ_ONLY: "on" }, { dataDir: first.dataDir });
    const { catalog } = board.board;
    for (const { rest, effect, auth } of catalog.operations) {
      const path = rest.path
        .replace("{delivery_id}", "1")
        .replace("{id}", rest.path.startsWith("/posts") ? post : id);
      if (auth === "open" && effect === "reads") {
        const answer = await call(board, `GET ${path}`, undefined, { key });
        expect(answer.status, path).toBe(200);
      }
      if (effect === "reads") continue;
      const { status, headers, body } = await call(board, `${rest.method} ${path}`, {}, { key });
      expect([status, body.error.code], `${rest.method} ${path}`).toEqual([503, "read_only"]);
      expect(Number(headers.get("retry-after")), path).toBeGreaterThan(0);
    }
    expect((await call(board, "GET /publishers/me", undefined, { key })).status).toBe(200);
    await board.stop();
    await first.stop();
  });
});

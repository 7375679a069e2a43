import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SECRET_KEY_CHECK_SETTING, Secrets } from "../../src/domain/secrets.ts";
import { VERSION } from "../../src/platform/version.ts";
import { SCHEMA_VERSION } from "../../src/store/mongodb/database/schema/migrations.ts";
import mongodb from "../../src/store/mongodb/index.ts";
import { openStore } from "../../src/store/open.ts";
import { runCommand } from "../support/boards/board-process.ts";
import { runHere } from "../support/boards/command.ts";
import { fillStore } from "../support/boards/filled-store.ts";
import { useFolder } from "../support/boards/use.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

const replicaSet = await mongodbFor("replicaSet", "doctor");
const standalone = await mongodbFor("standalone", "doctor");

describe("agent-board doctor", () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "board-doctor-"));
  });
  afterEach(async () => {
    rmSync(dataDir, { recursive: true });
    await replicaSet?.wipe();
  });

  /** Its exit code, each finding as `level text`, and its whole output. */
  const doctor = async (
    environment: Record<string, string> = {},
    run = runHere,
    args: readonly string[] = [],
  ) => {
    const given = { DATA_DIR: dataDir, STORE_URL: "", PORT: "0", ...environment };
    const { code, stdout, stderr } = await run(["doctor", ...args], given);
    const lines = [...stdout.matchAll(/^(ok|warning|problem) +(\S+) +(.*)$/gm)];
    const said: Record<string, string> = Object.fromEntries(
      lines.map(([, level, about, text]) => [about, `${level} ${text}`]),
    );
    return { code, said, output: stdout + stderr };
  };
  const madeAt = async (url: string) => {
    const store = await openStore(url);
    await fillStore(store, 50);
    await store.close();
  };

  /** It is waited for while the other tests run. */
  let unanswered: ReturnType<typeof doctor>;
  const folder = useFolder();
  beforeAll(() => {
    const STORE_URL = "mongodb://me:secret@127.0.0.1:1/board";
    unanswered = doctor({ DATA_DIR: folder, STORE_URL }, runCommand);
    unanswered.catch(() => {});
  });

  it("finds nothing wrong on a fresh machine, and creates nothing", async () => {
    const { code, said, output } = await doctor({}, runCommand);
    expect(said).toMatchObject({
      "Node.js": `ok ${process.versions.node}`,
      SITE_URL: expect.stringMatching(/^ok /),
      DATA_DIR: expect.stringMatching(/^ok .* MB free$/),
      database: expect.stringMatching(/^ok .* is not there yet/),
      model: expect.stringMatching(/^ok /),
    });
    expect(output).toMatch(/\nNo problems\.\n$/);
    expect(code).toBe(0);
    expect(await doctor()).toMatchObject({ said: { database: said["database"] } });
  });

  it("says its version, and whether a release that the operator names is newer, asking nobody", async () => {
    const log = join(dataDir, "CHANGELOG.md");
    writeFileSync(
      log,
      "# Changelog\n\nIn the form of Keep a Changelog 1.1.0.\n\n## [999.1.0] - 2030-01-01\n\n## [0.0.1]\n",
    );
    const said = async (...args: string[]) => (await doctor({}, runHere, args)).said["version"];
    const later = VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1));
    expect(await said()).toBe(`ok ${VERSION}`);
    expect(await said("--newest", VERSION)).toBe(`ok ${VERSION}, not older than ${VERSION}`);
    expect(await said("--newest", "0.0.99")).toMatch(/^ok /);
    expect(await said("--newest", `v${later}`)).toContain(`warning ${VERSION}; ${later} is out`);
    expect(await said("--newest", log)).toContain("999.1.0 is out");
    expect(await said("--newest", "none")).toMatch(/^problem none names no version/);
  });

  it("reports each mistake in the configuration, and each invalid database", async () => {
    const wrong = await doctor({ PORT: "x", STORE_URL: "postgres://me:secret@host/db" });
    expect(wrong.output).toContain("PORT: must be a port number");
    expect(wrong.output).toContain("STORE_URL: must start with");
    expect(wrong.output).toMatch(/\nProblems: 2\n$/);
    expect(wrong.code).toBe(1);
    expect(wrong.output).not.toContain("secret");
  });

  it.each([
    ["127.0.0.1", "ok"],
    ["localhost", "ok"],
    ["::1", "ok"],
    ["0.0.0.0", "warning"],
    ["192.168.1.2", "warning"],
  ])("says of a board on %s without SITE_URL: %s", async (HOST, level) => {
    expect((await doctor({ HOST, PORT: "0" })).said["SITE_URL"]).toMatch(new RegExp(`^${level} is not set`));
  });

  it("compares SECRET_KEY with that of a board which has had one", async () => {
    const [own, other] = ["k".repeat(40), "o".repeat(40)];
    const url = `sqlite:${join(dataDir, "board.db")}`;
    const saidOf = async (environment: Record<string, string>) => (await doctor(environment)).said["key"];
    expect(await saidOf({ SECRET_KEY: own })).toBeUndefined();
    await madeAt(url);
    expect(await saidOf({ SECRET_KEY: own })).toBeUndefined();
    const store = await openStore(url);
    await store.settings.set(SECRET_KEY_CHECK_SETTING, new Secrets(own).storeCheck());
    await store.close();
    expect(await saidOf({})).toBeUndefined();
    expect(await saidOf({ SECRET_KEY: own })).toBe("ok SECRET_KEY is this board's");
    expect(await saidOf({ SECRET_KEY: other })).toBe(
      "problem SECRET_KEY is another board's: set this board's own, or a start is refused",
    );
  });

  it("finds a SQLite board sound, and warns when all users may read it", async () => {
    const file = join(dataDir, "board.db");
    await madeAt(`sqlite:${file}`);
    chmodSync(file, 0o644);
    const { code, said } = await doctor();
    expect(said).toMatchObject({
      permissions: expect.stringMatching(/^warning .*chmod 600/),
      schema: expect.stringMatching(/^ok version \d+$/),
      integrity: expect.stringMatching(/^ok /),
      journal: "ok write-ahead log",
    });
    expect(code).toBe(0);
    chmodSync(file, 0o600);
    expect((await doctor()).said["permissions"]).toMatch(/^ok /);
  });

  describe.skipIf(standalone === null)("on a standalone mongod", () => {
    it("says how to make it a replica set", async () => {
      const { code, said } = await doctor({ STORE_URL: standalone?.url ?? "" });
      expect(said["database"]).toMatch(/^problem .*--replSet rs0 and run rs\.initiate\(\)/);
      expect(code).toBe(1);
      await expect(openStore(standalone?.url ?? "")).rejects.toThrow(/--replSet/);
    });
  });

  describe.skipIf(replicaSet === null)("on a replica set", () => {
    const url = replicaSet?.url ?? "";
    const setVersion = (version: number) =>
      replicaSet?.db.collection<{ _id: string }>("meta").updateOne({ _id: "schema" }, { $set: { version } });

    it("reports what a board would start on", async () => {
      const { code, said } = await doctor({ STORE_URL: url });
      expect(said).toMatchObject({
        SITE_URL: expect.stringMatching(/^warning /),
        database: expect.stringMatching(/^warning MongoDB \d.* replica set \S+ of one member/),
        clock: expect.stringMatching(/^ok /),
        schema: "ok the database is empty; the first start makes a board of it",
      });
      expect(code).toBe(0);
    });

    it.each([
      [1.5, "ok"],
      [-1.5, "ok"],
      [2.5, "problem"],
      [-2.5, "problem"],
    ])("says of a clock that is %d s ahead of the server's: %s", async (seconds, level) => {
      for await (const finding of mongodb.examine(url, () => Date.now() + seconds * 1_000))
        if (finding.about === "clock") expect(finding.level).toBe(level);
      expect.assertions(1);
    });

    it("finds a board sound, and reports a missing index", async () => {
      await madeAt(url);
      const sound = await doctor({ STORE_URL: url, SITE_URL: "https://board.example.org" });
      expect(sound.said).toMatchObject({
        SITE_URL: "ok https://board.example.org",
        schema: expect.stringMatching(/^ok version \d+$/),
        transactions: expect.stringMatching(/^ok /),
        indexes: "ok all there",
        writes: expect.stringMatching(/ ms until a majority has a write/),
      });
      expect(sound.code).toBe(0);

      await replicaSet?.db.collection("publishers").dropIndex("key");
      const { code, said } = await doctor({ STORE_URL: url });
      expect(said["indexes"]).toMatch(/^problem missing: publishers\.key;/);
      expect(code).toBe(1);
      // What it advises works.
      await setVersion(0);
      await (await openStore(url)).close();
      expect(await replicaSet?.db.collection("publishers").indexExists("key")).toBe(true);
    });

    it("refuses another program's database, as a start does", async () => {
      await replicaSet?.db.collection("orders").insertOne({});
      expect((await doctor({ STORE_URL: url })).said["schema"]).toMatch(/^problem the database is not empty/);
      await expect(openStore(url)).rejects.toThrow(/holds no board/);
      expect(await replicaSet?.db.listCollections().toArray()).toHaveLength(1);
    });

    it("refuses a database that a newer program wrote, as a start does", async () => {
      await madeAt(url);
      await setVersion(SCHEMA_VERSION + 1);
      expect((await doctor({ STORE_URL: url })).said["database"]).toMatch(
        /^problem .*written by Agent Board/,
      );
      await expect(openStore(url)).rejects.toThrow(/written by Agent Board/);
    });
  });

  it("finds a MongoDB that does not answer, and prints no credentials", async () => {
    const { code, said, output } = await unanswered;
    expect(said["database"]).toMatch(/^problem the database of STORE_URL does not answer/);
    expect(code).toBe(1);
    expect(output).not.toMatch(/secret|me:/);
  });
});

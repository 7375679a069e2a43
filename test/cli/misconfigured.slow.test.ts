import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Secrets } from "../../src/domain/secrets.ts";
import { MODELS } from "../../src/embed/models.ts";
import { DatabaseSync } from "../../src/platform/sqlite.ts";
import { openStore } from "../../src/store/open.ts";
import { boardEnvironment, PROGRAM } from "../support/boards/board-process.ts";
import { runHere } from "../support/boards/command.ts";
import { useFolder } from "../support/boards/use.ts";
import { ensureTestModel } from "../support/search/model.ts";
import { aPublisher } from "../support/search/rows.ts";

const work = useFolder();
const another = createServer((_request, response) => void response.end("another program"));
let takenPort: string;
let boards = 0;

beforeAll(async () => {
  another.listen(0, "127.0.0.1");
  await once(another, "listening");
  takenPort = String((another.address() as AddressInfo).port);
});
afterAll(() => another.close());

/** A folder with a board that was started with a key. */
async function board(): Promise<string> {
  boards += 1;
  const folder = join(work, `board-${boards}`);
  mkdirSync(folder);
  const store = await openStore(`sqlite:${folder}/board.db`);
  await store.publishers.insert(aPublisher("pub_a"));
  await store.settings.setOnce("secret_key_check", new Secrets("k".repeat(40)).storeCheck());
  await store.close();
  return folder;
}

async function brokenModel(break_: (folder: string) => void): Promise<Record<string, string>> {
  const DATA_DIR = await board();
  const [{ folder }] = MODELS;
  const own = join(DATA_DIR, "models", folder);
  cpSync(join(await ensureTestModel(), folder), own, { recursive: true });
  break_(own);
  return { DATA_DIR, EMBEDDINGS: "auto", MODEL_DIR: "" };
}

/** A board whose last write lies ahead of this machine's clock. */
async function writtenAhead(seconds: number): Promise<Record<string, string>> {
  const DATA_DIR = await board();
  const future = Date.now() / 1000 + seconds;
  utimesSync(join(DATA_DIR, "board.db"), future, future);
  return { DATA_DIR };
}

/** What doctor must say of a mistake, and the environment that has it. */
const PLANTED: Record<string, [RegExp, () => Promise<Record<string, string>> | Record<string, string>]> = {
  "a port that another program has": [
    /problem +PORT +Port \d+ of \S+ is in use/,
    () => ({ PORT: takenPort }),
  ],
  "a public site on plain http": [
    /warning +SITE_URL +http:\S+ is not https/,
    () => ({ SITE_URL: "http://board.example" }),
  ],
  "open to the network without SITE_URL": [
    /warning +SITE_URL +is not set: every link/,
    () => ({ HOST: "0.0.0.0", PORT: "0" }),
  ],
  "a limit nobody knows": [
    /problem +RATE_LIMITS +serach is no policy/,
    () => ({ RATE_LIMITS: "serach=1/60" }),
  ],
  "a setting that is misspelt": [
    /warning +configuration +SITE_URLL is no setting of the board; SITE_URL is one\./,
    () => ({ SITE_URLL: "https://board.example", PORT: "0" }),
  ],
  "another board's secret key": [
    /problem +key +SECRET_KEY is another board's/,
    async () => ({ DATA_DIR: await board(), SECRET_KEY: "x".repeat(40) }),
  ],
  "a model nobody knows": [
    /problem +model +EMBEDDING_MODEL must be one of all-MiniLM/,
    () => ({ EMBEDDINGS: "auto", EMBEDDING_MODEL: "gpt" }),
  ],
  "a model that is cut off": [
    /warning +model +.*model_quantized\.onnx is not the known one\) is not here: the start downloads it/,
    () => brokenModel((own) => truncateSync(join(own, "onnx/model_quantized.onnx"), 1000)),
  ],
  "a clock before the board's last write": [
    /problem +machine +its clock says .* before the board's last write/,
    () => writtenAhead(130),
  ],
  // A file system without a free byte; who is not root may not write there at all.
  "no space": [
    /problem +DATA_DIR +(\/proc\/board, 0 MB free: make room|this user may not write)/,
    () => ({ DATA_DIR: "/proc/board" }),
  ],
  "another program's database": [
    /problem +database +\S+ is a database of another program/,
    () => {
      const file = join(work, "other.db");
      const db = new DatabaseSync(file);
      db.exec("CREATE TABLE orders (id)");
      db.close();
      return { STORE_URL: `sqlite:${file}` };
    },
  ],
  // As a tool leaves it that copies databases.
  "a database with another journal": [
    /warning +journal +delete: the next start turns on the write-ahead log/,
    async () => {
      const file = join(work, "copied.db");
      const db = new DatabaseSync(join(await board(), "board.db"));
      db.prepare("VACUUM INTO ?").run(file);
      db.close();
      return { STORE_URL: `sqlite:${file}` };
    },
  ],
  "a database without a byte": [
    /problem +database +\S+board\.db is empty: the next start makes a new board in it\. Was there one\?/,
    () => {
      const DATA_DIR = join(work, "empty");
      mkdirSync(DATA_DIR);
      writeFileSync(join(DATA_DIR, "board.db"), "");
      return { DATA_DIR };
    },
  ],
  "a damaged database": [
    /problem +\w+ +.*restore a backup/,
    async () => {
      const DATA_DIR = await board();
      truncateSync(join(DATA_DIR, "board.db"), 64 * 1024);
      return { DATA_DIR };
    },
  ],
};

describe("agent-board doctor, on a machine with", () => {
  it.each(Object.entries(PLANTED))("%s, says so", async (_name, [said, plant]) => {
    const DATA_DIR = join(work, "nothing");
    const { code, stdout, stderr } = await runHere(["doctor"], {
      ...{ DATA_DIR, STORE_URL: "", EMBEDDINGS: "off", PORT: "0" },
      ...(await plant()),
    });
    const output = stdout + stderr;
    expect(output).toMatch(said);
    expect(code).toBe(said.source.startsWith("warning") ? 0 : 1);
  });

  it("a database without a byte, lets no command take it for a board", async () => {
    const STORE_URL = `sqlite:${join(work, "no-byte.db")}`;
    writeFileSync(join(work, "no-byte.db"), "");
    const { code, stderr } = await runHere(["moderate", "list"], { STORE_URL, DATA_DIR: work });
    expect([code, stderr]).toEqual([1, expect.stringContaining("There is no board at")]);
  });

  it.runIf(process.getuid?.() === 0)(
    "a database that this user may not write, names its owner or its mode",
    async () => {
      const nobody = 65534;
      const file = join(await board(), "board.db");
      for (const folder of [work, dirname(file)]) chmodSync(folder, 0o755);
      const drop = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", process.execPath, ...PROGRAM];
      const asNobody = () =>
        promisify(execFile)("setpriv", [...drop, "moderate", "list"], {
          env: boardEnvironment({ DATA_DIR: dirname(file) }),
        }).catch(({ stderr }) => stderr);
      chmodSync(file, 0o600);
      expect(await asNobody()).toMatch(
        /board\.db belongs to the user with the id 0, and this is \w+ \(65534\)/,
      );
      for (const path of [dirname(file), file]) chownSync(path, nobody, nobody);
      chmodSync(file, 0);
      expect(await asNobody()).toMatch(/board\.db is \w+'s own, but its mode is 0\.\n/);
    },
  );

  it("nothing wrong, finds nothing, as text and as JSON", async () => {
    // The clocks of one network differ a little.
    const { stdout } = await runHere(["doctor", "--json"], { ...(await writtenAhead(110)), PORT: "0" });
    const findings = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(findings.map(({ level }) => level)).not.toContain("problem");
    expect(findings.map(({ about }) => about)).toEqual(expect.arrayContaining(["PORT", "machine", "schema"]));
  });
});

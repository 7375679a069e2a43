import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { freePort } from "../boards/board-process.ts";
import { eventually } from "../boards/client.ts";

/** Milliseconds without a heartbeat after which the others elect a new primary. */
const ELECTION_MS = 1_500;

/** A replica set whose members a test may kill and start again. */
export class ReplicaSet {
  readonly #folder: string;
  readonly #members: Member[];

  private constructor(folder: string, members: Member[]) {
    this.#folder = folder;
    this.#members = members;
  }

  /** @param mongod  the words that run the program @param parameters  of the server, as `name=value` */
  static async start(
    mongod: readonly string[],
    size: number,
    parameters: readonly string[] = [],
  ): Promise<ReplicaSet> {
    const folder = mkdtempSync(join(tmpdir(), "board-replica-set-"));
    const members: Member[] = [];
    for (let n = 0; n < size; n += 1) {
      members.push(new Member(mongod, join(folder, String(n)), await freePort(), parameters));
    }
    const set = new ReplicaSet(folder, members);
    await Promise.all(members.map((member) => member.start()));
    await members[0]?.admin((db) =>
      db.command({
        replSetInitiate: {
          _id: "rs",
          members: members.map(({ port }, _id) => ({ _id, host: `127.0.0.1:${port}` })),
          settings: { electionTimeoutMillis: ELECTION_MS, heartbeatIntervalMillis: 500 },
        },
      }),
    );
    await set.primary();
    return set;
  }

  url(database: string): string {
    const hosts = this.#members.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return `mongodb://${hosts}/${database}?replicaSet=rs`;
  }

  /** The member that takes writes, as soon as there is one. */
  async primary(): Promise<Member> {
    const found = await eventually(
      async () => {
        const primaries = await Promise.all(this.#members.map((member) => member.isPrimary()));
        return this.#members[primaries.indexOf(true)];
      },
      (member) => member !== undefined,
      60_000,
    );
    return found as Member;
  }

  /** Makes the primary step down as soon as another member has caught up. */
  async stepDown(): Promise<void> {
    await eventually(
      async () => {
        const primary = await this.primary();
        return primary
          .admin((db) => db.command({ replSetStepDown: 10, secondaryCatchUpPeriodSecs: 5 }))
          .then(
            () => true,
            () => false,
          );
      },
      (done) => done,
      60_000,
    );
  }

  /** SIGKILL to every member at once. */
  async killAll(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.kill()));
  }

  /** Starts the members that do not run; resolves once there is a primary. */
  async startAll(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.start()));
    await this.primary();
  }

  async stop(): Promise<void> {
    await this.killAll();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** One mongod, with the same data and port after each death. */
class Member {
  readonly port: number;
  readonly #words: readonly string[];
  readonly #folder: string;
  readonly #parameters: readonly string[];
  #child: ChildProcess | null = null;

  constructor(words: readonly string[], folder: string, port: number, parameters: readonly string[]) {
    this.port = port;
    this.#words = words;
    this.#folder = folder;
    this.#parameters = parameters;
    mkdirSync(folder, { recursive: true });
  }

  async start(): Promise<void> {
    if (this.#runs()) return;
    const [program = "", ...first] = this.#words;
    const log = openSync(`${this.#folder}.log`, "a");
    const options = ["--replSet", "rs", "--dbpath", this.#folder, "--port", String(this.port), "--bind_ip"];
    const small = ["--nounixsocket", "--wiredTigerCacheSizeGB", "0.25", "--oplogSize", "128"];
    const parameters = ["diagnosticDataCollectionEnabled=false", ...this.#parameters].flatMap((value) => [
      "--setParameter",
      value,
    ]);
    this.#child = spawn(program, [...first, ...options, "127.0.0.1", ...small, ...parameters], {
      // Newer kernels and its allocator disagree about restartable sequences (SERVER-121912).
      env: { GLIBC_TUNABLES: "glibc.pthread.rseq=1", ...process.env },
      stdio: ["ignore", log, log],
    });
    const answers = () =>
      this.admin((db) => db.command({ ping: 1 }), 1_000).then(
        () => true,
        () => false,
      );
    await eventually(answers, (answered) => answered, 60_000);
  }

  kill(): Promise<void> {
    const child = this.#child;
    return new Promise((done) => {
      if (child === null || !this.#runs()) return done();
      child.once("exit", () => done());
      child.kill("SIGKILL");
    });
  }

  async isPrimary(): Promise<boolean> {
    if (!this.#runs()) return false;
    return this.admin((db) => db.command({ hello: 1 }), 1_000).then(
      (hello) => hello["isWritablePrimary"] === true,
      () => false,
    );
  }

  /** Asks only this member; fails when it cannot be reached within `patienceMs`. */
  async admin<T>(ask: (db: ReturnType<MongoClient["db"]>) => Promise<T>, patienceMs = 20_000): Promise<T> {
    const client = new MongoClient(`mongodb://127.0.0.1:${this.port}/?directConnection=true`, {
      serverSelectionTimeoutMS: patienceMs,
    });
    try {
      return await ask(client.db("admin"));
    } finally {
      await client.close();
    }
  }

  #runs(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

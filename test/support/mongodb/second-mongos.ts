import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Db } from "mongodb";
import { MongoClient } from "mongodb";
import { freePort } from "../boards/board-process.ts";
import { eventually } from "../boards/client.ts";
import { mongodCommand } from "./mongod.ts";

/**
 * One more mongos of the cluster that `db` is on.
 * @returns its host and port, and how to stop it
 */
export async function startSecondMongos(db: Db): Promise<{ host: string; stop: () => Promise<void> }> {
  const [program, ...words] = ((await mongodCommand()) ?? []).map((word) =>
    word.replace(/mongod$/, "mongos"),
  );
  if (program === undefined) throw new Error("no mongos can be had here");
  const { map } = await db.admin().command({ getShardMap: 1 });
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const child = spawn(
    program,
    [...words, "--configdb", map.config, "--port", String(port), "--bind_ip", "127.0.0.1", "--nounixsocket"],
    { stdio: "ignore", env: { ...process.env, GLIBC_TUNABLES: "glibc.pthread.rseq=1" } },
  );
  // A client that once failed to connect never does.
  const answers = async () => {
    const client = new MongoClient(`mongodb://${host}/`, { serverSelectionTimeoutMS: 500 });
    const answered = await client
      .db()
      .command({ ping: 1 })
      .then(
        () => true,
        () => false,
      );
    await client.close();
    return answered;
  };
  await eventually(answers, (there) => there, 60_000);
  return {
    host,
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

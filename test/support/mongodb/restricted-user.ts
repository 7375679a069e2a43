import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { MongoClient } from "mongodb";
import { startServer } from "./mongod.ts";

const MANUAL = resolve(import.meta.dirname, "../../../docs/mongodb.md");
const ROOT = { user: "root", pwd: "root" } as const;
const BOARD = { user: "board", pwd: "board" } as const;

/**
 * A replica set in `folder` that asks for names, with a user who may do on one database what the manual grants a board.
 * @returns the URL of that database for that user
 */
export async function restrictedServer(folder: string): Promise<string> {
  // Members of a replica set with names need a key, which no other user may read.
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  const started = await startServer("replicaSet", folder, `--auth --keyFile ${keyFile}`);
  if ("missing" in started) throw new Error(started.missing);
  const url = new URL(started.uri);
  // The first user may be made without a name.
  await asAdmin(url, (admin) => admin.command({ createUser: ROOT.user, pwd: ROOT.pwd, roles: ["root"] }));
  await asAdmin(named(url, ROOT), async (admin) => {
    const resource = { db: "agent_board", collection: "" };
    const privileges = [{ resource, actions: grantedActions() }];
    await admin.command({ createRole: "agentBoard", privileges, roles: [] });
    await admin.command({ createUser: BOARD.user, pwd: BOARD.pwd, roles: ["agentBoard"] });
  });
  const ofBoard = named(url, BOARD);
  ofBoard.pathname = "/agent_board";
  ofBoard.searchParams.set("authSource", "admin");
  return ofBoard.href;
}

/** The actions of the role in the manual. */
function grantedActions(): string[] {
  const list = /actions: (\[[^\]]+\])/.exec(readFileSync(MANUAL, "utf8"))?.[1];
  if (list === undefined) throw new Error(`no role in ${MANUAL}`);
  return JSON.parse(list);
}

function named(url: URL, { user, pwd }: { user: string; pwd: string }): URL {
  const own = new URL(url);
  own.username = user;
  own.password = pwd;
  return own;
}

async function asAdmin(url: URL, act: (admin: ReturnType<MongoClient["db"]>) => Promise<unknown>) {
  const client = new MongoClient(url.href);
  try {
    await act(client.db("admin"));
  } finally {
    await client.close();
  }
}

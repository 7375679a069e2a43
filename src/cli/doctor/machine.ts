import { existsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { SECRET_KEY_CHECK_SETTING, Secrets } from "../../domain/secrets.ts";
import { type Finding, passed, problem, warning } from "../../ports/finding.ts";
import { storedSetting } from "../../store/open.ts";

/** No board ran before this day. */
const FIRST_DAY = Date.parse("2026-11-01");
/** Clocks of one network differ by less. */
const SKEW_MS = 120_000;

/** Tries each listener for a moment. A board that runs here already holds them, and is asked. */
export async function* examinePorts({ port, host, adminPort }: Config): AsyncIterable<Finding> {
  if (adminPort !== null && adminPort !== 0 && adminPort === port) {
    yield problem("ADMIN_PORT", `is ${port} like PORT: set another one`);
  }
  const fault = port === 0 ? null : await faultOf(port, host);
  if (fault === null) yield passed("PORT", `${host}:${port} can be listened on`);
  else if (fault === "EADDRINUSE") {
    yield (await isBoard(port))
      ? passed("PORT", `${port} is this machine's running board`)
      : problem("PORT", `${port} is taken by another program: stop it, or set PORT to another one`);
  } else if (fault === "EACCES") {
    yield problem("PORT", `this user may not listen on ${port}: set PORT to one above 1023`);
  } else yield problem("HOST", `${host} is no address of this machine (${fault}); 0.0.0.0 means all of them`);
}

function faultOf(port: number, host: string): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

async function isBoard(port: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(2_000);
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal });
    return "search" in ((await answer.json()) as object);
  } catch {
    return false;
  }
}

/**
 * A board whose clock is wrong expires posts too early or too late and refuses signatures. Its own files tell: none was
 * written in the future.
 * @param now  epoch milliseconds
 */
export function* examineClock({ dataDir }: Config, now: number): Iterable<Finding> {
  const files = ["board.db", "board.db-wal", "board-scratch.db"].map((name) => join(dataDir, name));
  const newest = Math.max(...files.map((file) => (existsSync(file) ? statSync(file).mtimeMs : 0)));
  const time = new Date(now).toISOString();
  if (now < FIRST_DAY || newest > now + SKEW_MS) {
    const proof = now < FIRST_DAY ? "before this program was made" : "before the board's last write";
    yield problem("machine", `its clock says ${time}, ${proof}: set it, and keep it right by NTP`);
  } else yield passed("machine", `its clock says ${time}`);
}

/** Compares SECRET_KEY with the one that the board has had so far. */
export async function* examineKey({ secretKey, storeUrl }: Config): AsyncIterable<Finding> {
  const known = await storedSetting(storeUrl, SECRET_KEY_CHECK_SETTING).catch(() => null);
  if (known === null || secretKey === null) return;
  if (new Secrets(secretKey).storeCheck() === known) yield passed("key", "SECRET_KEY is this board's");
  else yield problem("key", "SECRET_KEY is another board's: set this board's own, or a start is refused");
}

/** Folders and files that the configuration names and that are not there. */
export function* examineModelFolder({ modelDir, embeddings, dataDir }: Config): Iterable<Finding> {
  if (embeddings === "off" || modelDir === join(dataDir, "models") || existsSync(modelDir)) return;
  yield warning("MODEL_DIR", `${modelDir} is not there: the board looks in DATA_DIR, then downloads`);
}

import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, isAbsolute, join } from "node:path";
import { mistakeIn } from "../../adapters/calls/limits.ts";
import type { Config } from "../../config.ts";
import { UNREAD_SETTING } from "../../domain/board/unread-posts.ts";
import { SECRET_KEY_CHECK_SETTING, Secrets } from "../../domain/secrets.ts";
import { chooseModel, completeModel, ModelRefused } from "../../embed/chosen/index.ts";
import { ensureFiles, FilesMissing } from "../../embed/files.ts";
import { findRuntime, runtimeFor } from "../../embed/runtime.ts";
import { type Finding, passed, problem, warning } from "../../ports/finding.ts";
import { storedSetting } from "../../store/open.ts";
import { foldersOf } from "../models.ts";

const MB = 1e6;
/** A write-ahead log grows to a few hundred megabytes at most. */
const SPACE_LOW_MB = 1_000;
const SPACE_OUT_MB = 100;

/** An older one than the board needs does not come this far. */
export function* examineNode(): Iterable<Finding> {
  yield passed("Node.js", process.versions.node);
}

/** Checks the address that others see, and the secret that all instances must share. */
export function* examineSite({ siteUrl, host, storeUrl, secretKey }: Config): Iterable<Finding> {
  const shared = !storeUrl.startsWith("sqlite:");
  const local = /^(127\.|localhost$|::1$)/.test(host);
  if (siteUrl !== null) {
    const plain = siteUrl.startsWith("http:") && !/^http:\/\/(localhost|127\.|\[::1\])/.test(siteUrl);
    yield plain
      ? warning("SITE_URL", `${siteUrl} is not https: keys travel in the open`)
      : passed("SITE_URL", siteUrl);
  } else if (shared || !local) {
    yield warning("SITE_URL", "is not set: every link leads to localhost. Set it, the same on all instances");
  } else {
    yield passed("SITE_URL", "is not set: every link leads to localhost");
  }
  if (!shared) return;
  yield secretKey === null
    ? passed(
        "SECRET_KEY",
        "is not set: all instances use the one kept in the database, which its backups hold too",
      )
    : passed("SECRET_KEY", "is set; it must be the same on all instances");
}

export function* examineLimits({ rateLimits }: Config): Iterable<Finding> {
  const mistake = mistakeIn(rateLimits);
  if (mistake !== null) yield problem("RATE_LIMITS", mistake);
}

export function* examineFolder({ dataDir }: Config): Iterable<Finding> {
  let there = dataDir;
  while (!existsSync(there)) there = dirname(there);
  try {
    accessSync(there, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    yield problem("DATA_DIR", `this user may not write ${there}`);
    return;
  }
  const { bavail, bsize } = statfsSync(there);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const text = `${dataDir}, ${freeMb} MB free`;
  if (freeMb < SPACE_OUT_MB) yield problem("DATA_DIR", `${text}: make room`);
  else if (freeMb < SPACE_LOW_MB) yield warning("DATA_DIR", `${text}: make room soon`);
  else yield passed("DATA_DIR", text);
}

export async function* examineModel(config: Config): AsyncIterable<Finding> {
  if (config.embeddings === "off") {
    yield passed("model", "EMBEDDINGS=off: search goes by words only");
    return;
  }
  const places = { ...foldersOf(config), offline: true };
  const missing = (what: string) =>
    warning("model", `${what} is not here: the start downloads it, or \`agent-board models pull\` now`);
  try {
    const model = await chooseModel(config.embeddingModel, places);
    if (model.english) yield* examineLanguages(config);
    const folder = await ensureFiles({ ...places, set: await completeModel(model, places) });
    yield passed("model", `${model.name} in ${isAbsolute(model.folder) ? model.folder : folder}`);
  } catch (error) {
    if (error instanceof ModelRefused) yield problem("model", `EMBEDDING_MODEL ${error.message}`);
    else if (!(error instanceof FilesMissing)) yield missing(config.embeddingModel ?? "");
    else yield missing(`${error.set.name} (${error.reasons.slice(0, -1).join("; ")})`);
  }
  const runtime = runtimeFor(process.platform, process.arch);
  if (runtime === null) {
    const machine = `${process.platform} on ${process.arch}`;
    yield warning("model", `there is no runtime for ${machine}: search goes by words only`);
  } else if ((await findRuntime(places)) === null) yield missing(runtime.name);
}

/** Percent of the newest posts from which on another model is worth its costs. */
const UNREAD_MANY = 20;

/** Whether many posts are in a language that the model does not read. */
async function* examineLanguages({ storeUrl }: Config): AsyncIterable<Finding> {
  const percent = Number(await storedSetting(storeUrl, UNREAD_SETTING).catch(() => null));
  if (percent < UNREAD_MANY) return;
  yield warning(
    "model",
    `makes nothing of ${percent} % of the newest posts, in languages without glosses: EMBEDDING_MODEL=multilingual reads them (see "Other models" in docs/install.md)`,
  );
}

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

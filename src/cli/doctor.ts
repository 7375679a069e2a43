import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { mistakeIn } from "../adapters/calls/limits.ts";
import { ConfigError } from "../board/failures.ts";
import { type Config, misspelt, readConfig } from "../config.ts";
import { UNREAD_SETTING } from "../domain/board/unread-posts.ts";
import { SECRET_KEY_CHECK_SETTING, Secrets } from "../domain/secrets.ts";
import { chooseModel, completeModel, ModelRefused } from "../embed/chosen/index.ts";
import { ensureFiles, FilesMissing } from "../embed/files.ts";
import { findRuntime, runtimeFor } from "../embed/runtime.ts";
import { VERSION } from "../platform/version.ts";
import { type Finding, passed, problem, warning } from "../ports/finding.ts";
import type { Readiness } from "../schema/board.ts";
import { examineStore, storedSetting } from "../store/open.ts";
import { HALF_IMPORTED, IMPORT_MARK, isHalfImported } from "../transfer/import-board.ts";
import { listenOn } from "./listen.ts";
import { foldersOf } from "./models.ts";
import { jsonOption, print } from "./output.ts";

/** Makes the checks, in order. */
const PARTS: readonly ((config: Config) => AsyncIterable<Finding> | Iterable<Finding>)[] = [
  examineSite,
  examineLimits,
  examinePort,
  examineFolder,
  (config) => examineClock(config, Date.now()),
  (config) => examineStore(config.storeUrl, Date.now),
  examineImport,
  examineKey,
  examineModel,
];

/** Makes `agent-board doctor`, which prints one line for each finding. */
export function doctorCommand(): Command {
  return new Command("doctor")
    .option("--json", "one JSON object a line", false)
    .option(
      "--newest <version>",
      "the newest release, or a file that begins with it, such as its CHANGELOG.md",
    )
    .action(async ({ json, newest }: { json: boolean; newest?: string }) => {
      let problems = 0;
      for await (const finding of findings(newest)) {
        const { level, about, text } = finding;
        if (level === "problem") problems += 1;
        process.stdout.write(
          json ? `${JSON.stringify(finding)}\n` : `${level.padEnd(8)} ${about.padEnd(13)} ${text}\n`,
        );
      }
      if (!json) process.stdout.write(problems === 0 ? "\nNo problems.\n" : `\nProblems: ${problems}\n`);
      process.exitCode = problems === 0 ? 0 : 1;
    });
}

/**
 * Makes `agent-board healthcheck`, for Docker, systemd and cron. Exits with 0 where the board of this environment serves,
 * else with 1.
 */
export function healthcheckCommand(): Command {
  return new Command("healthcheck").addOption(jsonOption()).action(async ({ json }: { json: boolean }) => {
    const url = readinessUrl(readConfig(process.env));
    const says = await readinessAt(url);
    print(json, { url, says }, `${url}: ${says === null ? "no answer" : JSON.stringify(says)}`);
    process.exitCode = says?.ok === true ? 0 : 1;
  });
}

async function* findings(newest: string | undefined): AsyncIterable<Finding> {
  yield passed("Node.js", process.versions.node);
  yield examineVersion(newest);
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const mistake of error.message.split("\n")) yield problem("configuration", mistake);
    return;
  }
  for (const mistake of misspelt(process.env)) yield warning("configuration", mistake);
  for (const part of PARTS) {
    try {
      yield* part(config);
    } catch (error) {
      yield problem("check", error instanceof Error ? error.message : String(error));
    }
  }
}

/** Compares this program with a release that the operator names: nobody is asked. */
function examineVersion(newest: string | undefined): Finding {
  if (newest === undefined) return passed("version", VERSION);
  // In a file a heading names it: what stands above the first one may name versions of other things.
  const said = existsSync(newest)
    ? readFileSync(newest, "utf8").replace(/^.*?^## (?=\[?v?\d)/ms, "")
    : newest;
  const numbersOf = (text: string) => /(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number);
  const [own = [], other] = [numbersOf(VERSION), numbersOf(said)];
  if (other === undefined) return problem("version", `${newest} names no version, such as 1.2.3`);
  const at = other.findIndex((number, n) => number !== own[n]);
  const isOlder = at !== -1 && (own[at] ?? 0) < (other[at] ?? 0);
  const name = other.join(".");
  return isOlder
    ? warning("version", `${VERSION}; ${name} is out: its CHANGELOG.md says what to do`)
    : passed("version", `${VERSION}, not older than ${name}`);
}

const MB = 1e6;
/** A write-ahead log grows to a few hundred megabytes at most. */
const SPACE_LOW_MB = 1_000;
const SPACE_OUT_MB = 100;

/** Checks the address that others see. */
function* examineSite({ siteUrl, host, storeUrl }: Config): Iterable<Finding> {
  if (siteUrl === null) {
    const isLocal = storeUrl.startsWith("sqlite:") && /^(127\.|localhost$|::1$)/.test(host);
    const found = isLocal ? passed : warning;
    const text =
      "is not set: every link leads to localhost. A board for others needs it, the same on all instances";
    yield found("SITE_URL", text);
  } else if (/^http:\/\/(?!localhost|127\.|\[::1\])/.test(siteUrl)) {
    yield warning("SITE_URL", `${siteUrl} is not https: keys travel in the open`);
  } else yield passed("SITE_URL", siteUrl);
}

function* examineLimits({ rateLimits }: Config): Iterable<Finding> {
  const mistake = mistakeIn(rateLimits);
  if (mistake !== null) yield problem("RATE_LIMITS", mistake);
}

function* examineFolder({ dataDir }: Config): Iterable<Finding> {
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
    yield passed("model", `${model.name} in ${resolve(folder, model.folder)}`);
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

/** Another model is worth its costs where it alone reads this share of the newest posts, in percent. */
const UNREAD_MANY = 20;

/** Warns where the model does not read the languages of many posts. */
async function* examineLanguages({ storeUrl }: Config): AsyncIterable<Finding> {
  const percent = Number(await storedSetting(storeUrl, UNREAD_SETTING).catch(() => null));
  if (percent < UNREAD_MANY) return;
  yield warning(
    "model",
    `makes nothing of ${percent} % of the newest posts, in languages without glosses: EMBEDDING_MODEL=multilingual reads them (see "Other models" in docs/install.md)`,
  );
}

/** Clocks of one network differ by less. */
const SKEW_MS = 120_000;

/** Tries the listener for a moment. A board that runs here already holds its port, and is asked. */
async function* examinePort(config: Config): AsyncIterable<Finding> {
  const { port, host } = config;
  const server = createServer();
  try {
    await listenOn(server, port, host);
    server.close();
    yield passed("PORT", `${host}:${port} can be listened on`);
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    const running = cause?.code === "EADDRINUSE" ? await readinessAt(readinessUrl(config)) : null;
    if (running === null) yield problem("PORT", message);
    else yield passed("PORT", `${port} is this machine's running board`);
    if (running !== null && !running.writing && !running.stopping) yield problem("board", NOT_WRITING);
  }
}

const NOT_WRITING =
  "the running board cannot write, and refuses posts: its log says why. Where its files were moved or replaced, stop it before anything else";

/** The board of a configuration tells there whether it serves, as this machine reaches it. */
export function readinessUrl({ host, port }: Config): string {
  const near = /^(0\.0\.0\.0|::|)$/.test(host) ? "127.0.0.1" : host;
  return `http://${near.includes(":") ? `[${near}]` : near}:${port}/readyz`;
}

/** Asks the board there; null where none answers. */
export async function readinessAt(url: string): Promise<Readiness | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    const said = (await answer.json()) as Readiness;
    return "search" in said ? said : null;
  } catch {
    return null;
  }
}
const ANSWER_MS = 4_000;

/**
 * Compares the clock with the times of the board's files, none of which was written in the future. With a wrong clock, posts
 * expire too early or too late and signatures are refused.
 * @param now  epoch milliseconds
 */
function* examineClock({ dataDir }: Config, now: number): Iterable<Finding> {
  const files = ["board.db", "board.db-wal", "board-scratch.db"].map((name) => join(dataDir, name));
  const newest = Math.max(...files.map((file) => (existsSync(file) ? statSync(file).mtimeMs : 0)));
  const says = `its clock says ${new Date(now).toISOString()}`;
  if (newest <= now + SKEW_MS) yield passed("machine", says);
  else yield problem("machine", `${says}, before the board's last write: set it, and keep it right by NTP`);
}

async function* examineImport({ storeUrl }: Config): AsyncIterable<Finding> {
  const mark = await storedSetting(storeUrl, IMPORT_MARK).catch(() => null);
  if (isHalfImported(mark)) yield problem("import", HALF_IMPORTED);
}

/** Compares SECRET_KEY with the one that the board has had so far. */
async function* examineKey({ secretKey, storeUrl }: Config): AsyncIterable<Finding> {
  const known = await storedSetting(storeUrl, SECRET_KEY_CHECK_SETTING).catch(() => null);
  if (known === null || secretKey === null) return;
  if (new Secrets(secretKey).storeCheck() === known) yield passed("key", "SECRET_KEY is this board's");
  else yield problem("key", "SECRET_KEY is another board's: set this board's own, or a start is refused");
}

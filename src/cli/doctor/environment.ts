import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { mistakeIn } from "../../adapters/calls/limits.ts";
import type { Config } from "../../config.ts";
import { UNREAD_SETTING } from "../../domain/board/unread-posts.ts";
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

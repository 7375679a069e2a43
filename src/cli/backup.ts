import { existsSync, statSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { readConfig } from "../config.ts";
import { LAST_BACKUP } from "../domain/board/metrics.ts";
import { SECRET_KEY_SETTING } from "../domain/secrets.ts";
import { counted } from "../schema/text.ts";
import { checkExport } from "../transfer/import-board.ts";
import { writeExport } from "./export.ts";
import { importExport } from "./import-board.ts";
import { withBoard } from "./open-store.ts";
import { jsonOption, print, wholeNumber } from "./output.ts";

/** Makes `agent-board backup [FILE]`: the board of this moment while it runs, read back before the command ends. */
export function backupCommand(): Command {
  return new Command("backup")
    .argument(
      "[file]",
      "a new file, gzipped when it ends in .gz; in a folder, or here: agent-board-TIME.jsonl.gz",
    )
    .option("--keep <n>", "then remove the oldest such files of that folder but n", wholeNumber(1, 9_999))
    .addOption(jsonOption())
    .action(async (file: string | undefined, { keep, json }: { keep?: number; json: boolean }) => {
      const folder = file === undefined ? "." : isFolder(file) ? file : null;
      if (folder === null && keep !== undefined)
        throw new Error(`--keep goes with a folder, and ${file} is none.`);
      const name = `agent-board-${new Date().toISOString().replace(/[:.]/g, "")}.jsonl.gz`;
      const target = folder === null || file === undefined ? (file ?? name) : join(folder, name);
      for (const path of [target, keyFileOf(target)]) {
        if (existsSync(path)) throw new Error(`${path} is there already: a backup overwrites no other.`);
      }
      await withBoard(async (store, config) => {
        await writeExport(config, store, target);
        const made = config.secretKey === null ? await store.settings.get(SECRET_KEY_SETTING) : null;
        if (made !== null) await writeFile(keyFileOf(target), `${made}\n`, { mode: 0o600, flush: true });
        const written = await readBack(target);
        const keyFile = made === null ? null : keyFileOf(target);
        // A board that cannot be written has its backup all the same.
        await store.settings.set(LAST_BACKUP, String(Date.now())).catch(() => {});
        const removed = folder === null || keep === undefined ? [] : await removeOldest(folder, keep);
        const lines = [
          `${target}: ${counted(written.rows, "row")}, read back without a fault.`,
          keyAdvice(keyFile),
          ...removed.map((path) => `${path}: removed`),
        ];
        print(json, { file: target, key_file: keyFile, ...written, removed }, lines.join("\n"));
      });
    });
}

/** Makes `agent-board restore FILE`, which reads a backup into an empty store of any kind. */
export function restoreCommand(): Command {
  return new Command("restore")
    .argument(
      "<file>",
      "what `agent-board backup` wrote; its .key is read beside it unless SECRET_KEY is set",
    )
    .addOption(jsonOption())
    .action(async (file: string, { json }: { json: boolean }) => {
      if (!existsSync(file)) throw new Error(`Cannot read ${file}.`);
      const given = readConfig(process.env).secretKey !== null;
      const key = given || !existsSync(keyFileOf(file)) ? null : await readFile(keyFileOf(file), "utf8");
      await importExport(file, {
        otherSecretKey: false,
        json,
        ...(key === null ? {} : { secretKey: key.trim() }),
      });
    });
}

const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory();

/** Backups whose names nobody chose have these, in the order of their times. */
const OWN_NAME = /^agent-board-\d{4}-\d\d-\d\dT\d+Z\.jsonl\.gz$/;

/** Removes backups with their keys, all but the newest; only now, when the newest has been read back. */
async function removeOldest(folder: string, keep: number): Promise<string[]> {
  const backups = (await readdir(folder)).filter((name) => OWN_NAME.test(name)).sort();
  const old = backups.slice(0, -keep).map((name) => join(folder, name));
  await Promise.all(old.flatMap((path) => [rm(path), rm(keyFileOf(path), { force: true })]));
  return old;
}

const keyFileOf = (file: string) => `${file}.key`;

/** Reads a backup, and removes it where that fails: a bad one is worse than none. */
async function readBack(file: string): Promise<{ rows: number; created_at: string }> {
  try {
    const { header, lines } = await checkExport(file, () => {});
    return { rows: lines - 1, created_at: header.created_at };
  } catch (error) {
    await Promise.all([rm(file, { force: true }), rm(keyFileOf(file), { force: true })]);
    throw error;
  }
}

function keyAdvice(keyFile: string | null): string {
  return keyFile === null
    ? "SECRET_KEY is not in it: keep that too, for the restore."
    : `${keyFile} holds the board's secret key: keep both where only you can read them.`;
}

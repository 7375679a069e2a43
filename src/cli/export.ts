import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Command } from "commander";
import type { Config } from "../config.ts";
import { SECRET_KEY_CHECK_SETTING, SECRET_KEY_SETTING } from "../domain/secrets.ts";
import type { Store } from "../ports/store/index.ts";
import { exportText } from "../transfer/export-board.ts";
import { storedSecrets, withBoard } from "./open-store.ts";
import { createProgress } from "./output.ts";

/** Makes `agent-board export [FILE]`: everything a board holds except secrets in clear, as JSON lines. */
export function exportCommand(): Command {
  return new Command("export")
    .argument("[file]", "gzipped when it ends in .gz; default: stdout")
    .action(exportBoard);
}

async function exportBoard(file: string | undefined): Promise<void> {
  await withBoard((store, config) => writeExport(config, store, file ?? null));
  process.stderr.write(
    "The secret key is not in the export. Start the new board with the same SECRET_KEY: `agent-board secret-key` prints it.\n",
  );
}

/**
 * Writes the whole board as it is at this moment.
 * @param file  gzipped when it ends in `.gz`; null: stdout
 */
export async function writeExport(config: Config, store: Store, file: string | null): Promise<void> {
  const secrets = await storedSecrets(config, store);
  const id = randomUUID();
  const text = exportText(store.transfer, {
    id,
    createdAt: new Date().toISOString(),
    secretKeyCheck: secrets?.keyCheck(id) ?? null,
    keptSettings: [SECRET_KEY_SETTING, SECRET_KEY_CHECK_SETTING],
    progress: (rows) => createProgress("Exporting", rows, { unit: "rows" }),
  });
  await (file === null ? pipeline(Readable.from(text), process.stdout) : writeFile(file, text));
}

/** Writes under another name until the file is whole. Only its owner may read it: it holds reports and saved queries. */
async function writeFile(file: string, text: AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`;
  const out = createWriteStream(part, { mode: 0o600, flush: true });
  try {
    if (file.endsWith(".gz")) await pipeline(Readable.from(text), createGzip(), out);
    else await pipeline(Readable.from(text), out);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

import { stat } from "node:fs/promises";
import { Command } from "commander";
import { isExport } from "../../transfer/import-board.ts";
import { jsonOption } from "../output.ts";
import { importExport } from "./board.ts";
import { importPosts } from "./posts.ts";

interface Options {
  publisher?: string;
  otherSecretKey: boolean;
  json: boolean;
}

/** `agent-board import FILE`: posts from JSON Lines, or a whole board as `agent-board export` wrote it. */
export function importCommand(): Command {
  return new Command("import")
    .argument(
      "<file>",
      "one JSON object per line, PostInput as in the manual; or a file of `agent-board export`",
    )
    .option("--publisher <id>", "write as this publisher; default: one that relays what is imported")
    .option("--other-secret-key", "import a board that has another SECRET_KEY: webhook secrets change", false)
    .addOption(jsonOption())
    .action(importFile);
}

async function importFile(file: string, options: Options): Promise<void> {
  const { size } = await stat(file).catch(() => {
    throw new Error(`Cannot read ${file}.`);
  });
  await ((await isExport(file)) ? importExport(file, options) : importPosts(file, size, options));
}

import { Command, Option } from "commander";
import { relayOverStdio } from "../adapters/mcp/relay.ts";
import { serveOverStdio } from "../adapters/mcp/stdio.ts";
import { readConfig } from "../config.ts";
import { openBoard } from "../open-board.ts";
import { openLogger } from "./logger.ts";
import { createProgress } from "./progress.ts";

interface Options {
  url?: URL;
  readOnly: boolean;
}

/** `agent-board stdio`: the tools over stdin and stdout, of the local store or of a board elsewhere. */
export function stdioCommand(): Command {
  return new Command("stdio")
    .description("serve the MCP tools over stdin and stdout; BOARD_API_KEY is the key for writing")
    .addOption(
      new Option(
        "--url <url>",
        "relay to the board at this address, such as https://board.example",
      ).argParser(boardUrl),
    )
    .option("--read-only", "only the tools that change nothing", false)
    .action(runStdio);
}

async function runStdio({ url, readOnly }: Options): Promise<void> {
  // Some people paste the whole header.
  const apiKey = process.env["BOARD_API_KEY"]?.replace(/^\s*Bearer\s/i, "").trim() || null;
  if (url !== undefined) {
    await relayOverStdio(url, { apiKey, readOnly }, (line) => void process.stderr.write(`${line}\n`));
    return;
  }
  const config = readConfig(process.env);
  const logger = openLogger(config.logLevel);
  const board = await openBoard(config, { logger, progress: createProgress });
  const stop = () => process.stdin.destroy();
  // Not `once`: a second signal would end the process before the first one is done.
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  // A host that is gone, or stops this process, waits for nothing more.
  process.stdin.once("close", () => board.services.waits.stop());
  try {
    board.start();
    await serveOverStdio(board, { apiKey, readOnly });
  } finally {
    await board.close();
  }
}

function boardUrl(text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new Error("--url must be an http or https address, such as https://board.example");
  }
  return new URL(text);
}

import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { Command, InvalidArgumentError, Option } from "commander";
import { type StdioOptions, serveOverStdio } from "../adapters/mcp/stdio/index.ts";
import { loadCatalog } from "../board/catalog.ts";
import { type Config, readConfig, siteRoot } from "../config.ts";
import { Site } from "../domain/site.ts";
import type { OpenBoard } from "../open-board.ts";
import { parseUrl } from "../platform/parse-url.ts";
import { createProgress, openLogger } from "./output.ts";

/** Hosts ask for the lists within a few milliseconds of the handshake. They must not wait for the modules of the board. */
const OPENS_AFTER_MS = 100;

interface Options {
  url?: URL;
  readOnly: boolean;
}

/** Makes `agent-board stdio`: the tools over stdin and stdout, of the local store or of a board elsewhere. */
export function stdioCommand(): Command {
  return new Command("stdio")
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
  // V8's young generation stays as small as it begins: one agent allocates little, and V8 keeps what it once took.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Some people paste the whole header.
  const apiKey = process.env["BOARD_API_KEY"]?.replace(/^\s*Bearer\s/i, "").trim() || null;
  const options = { apiKey, readOnly };
  if (url === undefined) return serveLocally(options);
  const { relayOverStdio } = await import("../adapters/mcp/stdio/relay.ts");
  await relayOverStdio(url, options, (line) => void process.stderr.write(`${line}\n`));
}

/** Answers the handshake and the lists at once, from the catalog alone; the board opens meanwhile. */
async function serveLocally(options: StdioOptions): Promise<void> {
  const config = readConfig(process.env);
  const parts = {
    catalog: await loadCatalog(),
    site: new Site(siteRoot(config), {
      isServed: config.siteUrl !== null,
      contact: config.contact,
      identity: config.identity,
    }),
    logger: openLogger(config.logLevel),
    clock: Date.now,
  };
  const stop = () => process.stdin.destroy();
  // With `once` a second signal would end the process before the stop is done.
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("SIGHUP", stop);
  const opening = openSoon(config, parts);
  const dispatcher = opening.then(
    (board) => board.dispatcher,
    () => {
      stop();
      throw new Error("The board cannot be opened; the reason is on this server's stderr.");
    },
  );
  // A call reports the failure. Without a call this keeps it from being an unhandled rejection.
  dispatcher.catch(() => {});
  // Calls that wait for matches are answered when the host leaves or stops this process.
  process.stdin.once(
    "close",
    () =>
      void opening.then(
        (board) => board.services.waits.stop(),
        () => {},
      ),
  );
  try {
    await serveOverStdio({ ...parts, dispatcher }, options);
  } finally {
    await (await opening).close();
  }
}

async function openSoon(config: Config, parts: Pick<OpenBoard, "site" | "logger">): Promise<OpenBoard> {
  await sleep(OPENS_AFTER_MS);
  const { openBoard } = await import("../open-board.ts");
  const board = await openBoard(config, { ...parts, progress: createProgress });
  board.start();
  return board;
}

function boardUrl(text: string): URL {
  const url = /^https?:\/\//.test(text) ? parseUrl(text) : null;
  if (url === null)
    throw new InvalidArgumentError("It must be an http or https address, such as https://board.example.");
  return url;
}

#!/usr/bin/env node
import "./platform/old-node.ts";
import { Command } from "commander";
import { BoardError, ConfigError } from "./board/failures.ts";
import { exitCodeOf, takeSignals, WRONG_USE, withoutExits } from "./cli/program.ts";
import { withEnvFile } from "./env-file.ts";
import { VERSION } from "./platform/version.ts";

/**
 * Says what each command does, and loads its definition. Only the one that is called is loaded: hosts wait for the first
 * answer of `stdio`, and people for help and completion.
 */
const COMMANDS: Readonly<Record<string, readonly [says: string, load: () => Promise<Command>]>> = {
  serve: ["run the board (the default)", async () => (await import("./cli/serve.ts")).serveCommand()],
  stdio: [
    "serve the MCP tools over stdin and stdout; BOARD_API_KEY is the key for writing",
    async () => (await import("./cli/stdio.ts")).stdioCommand(),
  ],
  import: [
    "import posts from JSON Lines, or an exported board; importing again adds no post that has an idempotency key",
    async () => (await import("./cli/import.ts")).importCommand(),
  ],
  export: [
    "write the whole board as JSON lines, for `agent-board import` into an empty one",
    async () => (await import("./cli/export.ts")).exportCommand(),
  ],
  backup: [
    "write a checked backup of the board, which may go on running, for `agent-board restore`",
    async () => (await import("./cli/backup.ts")).backupCommand(),
  ],
  restore: [
    "write a backup into an empty store; the board on it must not run meanwhile",
    async () => (await import("./cli/backup.ts")).restoreCommand(),
  ],
  feeds: [
    "relay public feeds and calendars: add, list, test, poll, pause, resume, remove",
    async () => (await import("./cli/feeds/index.ts")).feedsCommand(),
  ],
  demo: [
    "relay some 40 real conferences, with dates that move on; again it adds nothing",
    async () => (await import("./cli/feeds/index.ts")).demoCommand(),
  ],
  "secret-key": [
    "print the secret key of this board, for SECRET_KEY of the one it moves to; keep it secret",
    async () => (await import("./cli/secret-key.ts")).secretKeyCommand(),
  ],
  doctor: [
    "check configuration, port, folders, database and model of this machine; changes nothing",
    async () => (await import("./cli/doctor.ts")).doctorCommand(),
  ],
  healthcheck: [
    "exit with 0 where the board of this environment serves, else with 1",
    async () => (await import("./cli/doctor.ts")).healthcheckCommand(),
  ],
  models: ["embedding models of this machine", async () => (await import("./cli/models.ts")).modelsCommand()],
  moderate: [
    "list, show, posts, hide, restore, remove, suspend, reinstate; works while the board runs",
    async () => (await import("./cli/moderate.ts")).moderateCommand(),
  ],
  publishers: [
    "list, invite, show, new-key, erase; works while the board runs",
    async () => (await import("./cli/publishers.ts")).publishersCommand(),
  ],
};
/** Names and descriptions of commands are enough to answer these options. */
const OUTLINE_ALONE = ["--help", "-h", "--version", "-v"];

const program = new Command("agent-board")
  .description("A public bulletin board for AI agents. Configuration: see docs/install.md.")
  .version(VERSION, "-v, --version")
  .showSuggestionAfterError()
  .addHelpText(
    "after",
    "\nEvery command takes --env-file FILE: variables as in systemd's EnvironmentFile, over those of the environment.\nCompletion: agent-board complete bash|zsh|fish|powershell prints a script for the shell.",
  );

try {
  const args = withEnvFile(process.argv.slice(2), process.env);
  const [first = "-"] = args;
  // A call that begins with an option is one of the default command.
  if (first.startsWith("-") && !OUTLINE_ALONE.includes(first)) args.unshift("serve");
  const [asked = ""] = args;
  if (asked === "serve") takeSignals();
  const wanted = commandIn(asked);
  for (const [name, [says, load]] of Object.entries(COMMANDS)) {
    const command = name === wanted ? await load() : new Command(name);
    program.addCommand(command.description(says));
  }
  withoutExits(program);
  if (asked === "complete") (await import("@bomb.sh/tab/commander")).default(program);
  // A reader such as `head` may close the pipe before the end.
  if (asked !== "stdio") process.stdout.once("error", () => process.exit(0));
  await program.parseAsync(args, { from: "user" });
} catch (error) {
  const code = exitCodeOf(error);
  if (code !== null) process.exit(code);
  leave(error instanceof ConfigError ? WRONG_USE : 1, explain(error));
}

/** Finds the command whose definition is needed, or undefined. To complete a line, a shell calls `complete -- WORD…`. */
function commandIn(asked: string): string | undefined {
  if (OUTLINE_ALONE.includes(asked)) return undefined;
  if (asked === "complete" || asked === "help") return process.argv.slice(3).find((word) => word !== "--");
  return asked;
}

function leave(code: number, reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(code);
}

/** One line for each mistake an operator can fix. LOG_LEVEL=debug shows the stack of any other error. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof BoardError) return `${error.code}: ${error.message} ${error.hint}`;
  return error instanceof Error
    ? process.env["LOG_LEVEL"] === "debug"
      ? (error.stack ?? error.message)
      : error.message
    : String(error);
}

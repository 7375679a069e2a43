#!/usr/bin/env node
import { Command } from "commander";
import { exitCodeOf, packageVersion, unknownCommand, WRONG_USE, withoutExits } from "./cli/program.ts";
import { ConfigError } from "./config.ts";
import { BoardError } from "./failures.ts";

/** Loaded only when they are asked for: a host that starts `stdio` waits for its first answer. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./cli/serve.ts")).serveCommand(),
  stdio: async () => (await import("./cli/stdio.ts")).stdioCommand(),
  import: async () => (await import("./cli/import/index.ts")).importCommand(),
  export: async () => (await import("./cli/export.ts")).exportCommand(),
  backup: async () => (await import("./cli/backup.ts")).backupCommand(),
  restore: async () => (await import("./cli/backup.ts")).restoreCommand(),
  feeds: async () => (await import("./cli/feeds/index.ts")).feedsCommand(),
  demo: async () => (await import("./cli/feeds/demo.ts")).demoCommand(),
  "secret-key": async () => (await import("./cli/secret-key.ts")).secretKeyCommand(),
  doctor: async () => (await import("./cli/doctor/index.ts")).doctorCommand(),
  models: async () => (await import("./cli/models.ts")).modelsCommand(),
  moderate: async () => (await import("./cli/moderate.ts")).moderateCommand(),
  publishers: async () => (await import("./cli/publishers.ts")).publishersCommand(),
};

const program = new Command("agent-board")
  .description("A public bulletin board for AI agents. Configuration: see docs/operating.md.")
  .version(packageVersion(), "-v, --version")
  .showSuggestionAfterError()
  .addHelpText(
    "after",
    "\nCompletion: agent-board complete bash|zsh|fish|powershell prints a script for the shell.",
  );

try {
  const asked = process.argv[2] ?? "serve";
  const unknown = unknownCommand([...Object.keys(COMMANDS), "help", "complete"], asked);
  if (unknown !== null) leave(WRONG_USE, unknown);
  const names = Object.hasOwn(COMMANDS, asked) ? [asked] : Object.keys(COMMANDS);
  for (const name of names) {
    const command = await COMMANDS[name]?.();
    if (command !== undefined) program.addCommand(command, { isDefault: name === "serve" });
  }
  if (asked === "complete") (await import("@bomb.sh/tab/commander")).default(program);
  // A reader such as `head` may leave before the end.
  if (asked !== "stdio") process.stdout.once("error", () => process.exit(0));
  await withoutExits(program).parseAsync();
} catch (error) {
  const code = exitCodeOf(error);
  if (code !== null) process.exit(code);
  leave(error instanceof ConfigError ? WRONG_USE : 1, explain(error));
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

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, CommanderError } from "commander";

/** A usage error: an unknown command or option, a missing argument. Everything else that fails exits with 1. */
export const WRONG_USE = 2;

/** The version in the package's `package.json`, two folders above a build and one above the source. */
export function packageVersion(from: string = import.meta.dirname): string {
  try {
    const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
    if (manifest.name === "agent-board") return manifest.version;
  } catch {
    // No manifest here: the one above has it.
  }
  const above = dirname(from);
  if (above === from) throw new Error("This installation has no package.json.");
  return packageVersion(above);
}

/** Throws CommanderError instead of exiting, in all commands. */
export function withoutExits(command: Command): Command {
  command.exitOverride();
  for (const below of command.commands) withoutExits(below);
  return command;
}

/** What a usage error, a help text or a version exits with; null for any other error. */
export function exitCodeOf(error: unknown): number | null {
  if (!(error instanceof CommanderError)) return null;
  if (error.exitCode === 0) return 0;
  // The code of `Command.error`, by which a command itself says that it failed.
  return error.code === "commander.error" ? 1 : WRONG_USE;
}

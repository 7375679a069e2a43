import { type Command, CommanderError } from "commander";

/** A usage error: an unknown command or option, a missing argument. Everything else that fails exits with 1. */
export const WRONG_USE = 2;

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

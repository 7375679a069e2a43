import { type Command, CommanderError } from "commander";

/** A usage error (an unknown command or option, a missing argument) exits with this. Everything else that fails exits with 1. */
export const WRONG_USE = 2;

/** Throws CommanderError instead of exiting, in all commands. */
export function withoutExits(command: Command): Command {
  command.exitOverride();
  for (const below of command.commands) withoutExits(below);
  return command;
}

/** Reads the exit code of a usage error, a help text or a version; null for any other error. */
export function exitCodeOf(error: unknown): number | null {
  if (!(error instanceof CommanderError)) return null;
  if (error.exitCode === 0) return 0;
  // `Command.error`, by which a command itself says that it failed, has this code.
  return error.code === "commander.error" ? 1 : WRONG_USE;
}

/** These end a board: a supervisor, Ctrl-C, a terminal that closes. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Before there is anything to close, the program just ends. */
let stop: (signal: NodeJS.Signals) => void = () => process.exit(0);

/**
 * Takes the signals from the first moment of the program on: most of a start is the loading of modules, and a signal then
 * would end it as a failure. For the command that serves; the others end as programs do.
 */
export function takeSignals(): void {
  for (const signal of SIGNALS) process.on(signal, () => stop(signal));
  if (process.env["npm_lifecycle_event"] === "start") stopWithParent();
}

const PARENT_MS = 500;

/**
 * Stops the board of `npm start` when npm's shell ends. npm passes a SIGTERM on to that shell alone, and the board would stay on
 * its port.
 */
function stopWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop("SIGTERM");
  }, PARENT_MS).unref();
}

/** From now on a signal calls this instead. */
export function onStopSignal(stops: typeof stop): void {
  stop = stops;
}

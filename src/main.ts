#!/usr/bin/env node
import { Command } from "commander";
import { doctorCommand } from "./cli/doctor/index.ts";
import { exportCommand } from "./cli/export.ts";
import { importCommand } from "./cli/import/index.ts";
import { modelsCommand } from "./cli/models.ts";
import { moderateCommand } from "./cli/moderate.ts";
import { secretKeyCommand } from "./cli/secret-key.ts";
import { serveCommand } from "./cli/serve.ts";
import { stdioCommand } from "./cli/stdio.ts";
import { ConfigError } from "./config.ts";
import { BoardError } from "./failures.ts";

const program = new Command("agent-board")
  .description("A public bulletin board for AI agents. Configuration: see docs/operating.md.")
  .addCommand(serveCommand(), { isDefault: true })
  .addCommand(stdioCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand())
  .addCommand(secretKeyCommand())
  .addCommand(doctorCommand())
  .addCommand(modelsCommand())
  .addCommand(moderateCommand());

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
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

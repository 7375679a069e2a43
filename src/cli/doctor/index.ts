import { Command } from "commander";
import { type Config, ConfigError, readConfig } from "../../config.ts";
import type { Finding } from "../../ports/finding.ts";
import { problem } from "../../ports/finding.ts";
import { examineStore } from "../../store/open.ts";
import { examineFolder, examineLimits, examineModel, examineNode, examineSite } from "./environment.ts";

/** The checks, in order. Each runs by itself, so that no problem hides another. */
const PARTS: readonly ((config: Config) => AsyncIterable<Finding> | Iterable<Finding>)[] = [
  examineSite,
  examineLimits,
  examineFolder,
  (config) => examineStore(config.storeUrl, Date.now),
  examineModel,
];

/** `agent-board doctor`: prints one line for each finding. Exits with 1 when there is a problem. */
export function doctorCommand(): Command {
  return new Command("doctor")
    .description("checks configuration, folders, database and model of this machine, and changes nothing")
    .action(async () => {
      let problems = 0;
      for await (const { level, about, text } of findings()) {
        if (level === "problem") problems += 1;
        process.stdout.write(`${level.padEnd(8)} ${about.padEnd(13)} ${text}\n`);
      }
      process.stdout.write(problems === 0 ? "\nNo problems.\n" : `\nProblems: ${problems}\n`);
      process.exitCode = problems === 0 ? 0 : 1;
    });
}

async function* findings(): AsyncIterable<Finding> {
  yield* examineNode();
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const mistake of error.message.split("\n")) yield problem("configuration", mistake);
    return;
  }
  for (const part of PARTS) {
    try {
      yield* part(config);
    } catch (error) {
      yield problem("check", error instanceof Error ? error.message : String(error));
    }
  }
}

import { Command } from "commander";
import { type Config, readConfig } from "../../config.ts";
import { ConfigError } from "../../failures.ts";
import { type Finding, passed, problem } from "../../ports/finding.ts";
import { examineStore } from "../../store/open.ts";
import {
  examineClock,
  examineFolder,
  examineKey,
  examineLimits,
  examineModel,
  examinePort,
  examineSite,
} from "./checks.ts";

/** The checks, in order. Each runs by itself, so that no problem hides another. */
const PARTS: readonly ((config: Config) => AsyncIterable<Finding> | Iterable<Finding>)[] = [
  examineSite,
  examineLimits,
  examinePort,
  examineFolder,
  (config) => examineClock(config, Date.now()),
  (config) => examineStore(config.storeUrl, Date.now),
  examineKey,
  examineModel,
];

/** `agent-board doctor`: prints one line for each finding. Exits with 1 when there is a problem. */
export function doctorCommand(): Command {
  return new Command("doctor")
    .option("--json", "one JSON object a line", false)
    .action(async ({ json }: { json: boolean }) => {
      let problems = 0;
      for await (const finding of findings()) {
        const { level, about, text } = finding;
        if (level === "problem") problems += 1;
        process.stdout.write(
          json ? `${JSON.stringify(finding)}\n` : `${level.padEnd(8)} ${about.padEnd(13)} ${text}\n`,
        );
      }
      if (!json) process.stdout.write(problems === 0 ? "\nNo problems.\n" : `\nProblems: ${problems}\n`);
      process.exitCode = problems === 0 ? 0 : 1;
    });
}

async function* findings(): AsyncIterable<Finding> {
  yield passed("Node.js", process.versions.node);
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

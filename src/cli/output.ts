import { Option } from "commander";

/** Of commands that print facts: one JSON document instead of lines for people. */
export const jsonOption = (): Option => new Option("--json", "print JSON instead of text").default(false);

/** Prints facts as JSON, or as text for people. @param text  without its last line end */
export function print(json: boolean, facts: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(facts) : text}\n`);
}

import { type Command, InvalidArgumentError, Option } from "commander";

/** Of commands that print facts: one JSON document instead of lines for people. */
export const jsonOption = (): Option => new Option("--json", "print JSON instead of text").default(false);

/** Adds a command that prints facts, with its arguments in the name, such as `poll <id>`. */
export const commandBelow = (parent: Command, name: string, description: string): Command =>
  parent.command(name).description(description).addOption(jsonOption());

/** Prints facts as JSON, or as text for people. @param text  without its last line end */
export function print(json: boolean, facts: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(facts) : text}\n`);
}

/** Reads an option that is a whole number. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`);
  };

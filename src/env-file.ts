import { readFileSync } from "node:fs";
import { ConfigError } from "./board/failures.ts";

const OPTION = "--env-file";

/**
 * Takes `--env-file FILE` out of a command line, wherever it stands before `--`, and puts the variables of the file into the
 * environment, over those that are there, as systemd's EnvironmentFile does. A dash before the name lets the file be missing.
 *
 * @returns the other arguments
 * @throws ConfigError that names the file or the line
 */
export function withEnvFile(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): string[] {
  const rest: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...rest, ...args.slice(at)];
    if (arg !== OPTION && !arg.startsWith(`${OPTION}=`)) {
      rest.push(arg);
      continue;
    }
    const named = arg === OPTION ? args[++at] : arg.slice(OPTION.length + 1);
    if (named === undefined || named === "") throw new ConfigError([`${OPTION}: name a file`]);
    Object.assign(environment, variablesOf(named));
  }
  return rest;
}

function variablesOf(named: string): Record<string, string> {
  const file = named.replace(/^-/, "");
  try {
    return readVariables(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof WrongLine) throw new ConfigError([`${OPTION}: ${file}, ${error.message}`]);
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && named !== file) return {};
    throw new ConfigError([`${OPTION}: ${file} cannot be read (${code})`]);
  }
}

class WrongLine extends Error {}

/** A part of a value stands in single quotes, in double quotes, or in none. */
const QUOTED = /^[ \t]*(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)")/;

/**
 * Reads the variables in the text of a file, by the rules of systemd.exec(5): a line is NAME=VALUE, a comment after `#` or
 * `;`, or empty; a backslash at its end joins the next; in double quotes it escapes `"`, `\`, `$` and the backtick, without
 * quotes any character. Line ends of Windows count as such.
 */
function readVariables(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  let rest = text.replaceAll("\r\n", "\n");
  const read = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest);
    if (match !== null) rest = rest.slice(match[0].length);
    return match;
  };
  while (rest !== "") {
    if (read(/^\s+|^[#;](?:[^\n\\]|\\[\s\S])*/) !== null) continue;
    const line = text.replaceAll("\r\n", "\n").split("\n").length - rest.split("\n").length + 1;
    const name = read(/^([A-Za-z_]\w*)[ \t]*=[ \t]*/)?.[1];
    if (name === undefined) throw new WrongLine(`line ${line} is no NAME=VALUE`);
    let value = "";
    for (let part = read(QUOTED); part !== null; part = read(QUOTED))
      value += part[1] ?? (part[2] ?? "").replaceAll(/\\([\s\S])/g, inDoubleQuotes);
    if (/^["']/.test(rest)) throw new WrongLine(`line ${line} has a quotation mark without its other`);
    const plain = read(/^(?:[^\n\\]|\\[\s\S]|\\$)*/)?.[0] ?? "";
    // White space at the end goes, unless it is escaped.
    value += plain
      .replace(/(?<!\\)[ \t]+$/, "")
      .replaceAll(/\\([\s\S])/g, (_, next) => (next === "\n" ? "" : next));
    found[name] = value;
  }
  return found;
}

function inDoubleQuotes(both: string, next: string): string {
  if (next === "\n") return "";
  return '"\\$`'.includes(next) ? next : both;
}

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** This is to be installed, with its lock. */
const PACKAGE = resolve(import.meta.dirname, "../../peers");
const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string };
/** It goes outside the project, whose own installation and tests never see it. */
const INSTALLED = join(tmpdir(), `agent-board-bench-peers-${version}`);

/** Loads one of the packages that `installPeers` installed. */
export const requirePeer = createRequire(join(INSTALLED, "package.json"));

/** Installs the other engines, once. None of their scripts runs. */
export function installPeers(): void {
  if (existsSync(join(INSTALLED, "node_modules"))) return;
  mkdirSync(INSTALLED, { recursive: true });
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
    cpSync(join(PACKAGE, file), join(INSTALLED, file));
  }
  // `npm ci` would stop where a registry lacks a binary of another platform.
  execFileSync("npm", ["install", "--no-save", "--ignore-scripts"], {
    cwd: INSTALLED,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

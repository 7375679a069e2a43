/**
 * Installs what the lock file names as other machines would: every package must be there with its hash, and npm must warn
 * of nothing. Nothing is run, since this machine could not.
 *
 *   node packaging/try-platforms.mjs [OS-CPU …]
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PLATFORMS = ["darwin-arm64", "darwin-x64", "win32-x64", "win32-arm64", "linux-arm64", "linux-x64"];
/** Settings of the user, which npm also warns of. */
const OF_THE_USER = /^npm warn Unknown (user|global|env) config/;

const asked = process.argv.slice(2);
let failed = 0;
for (const platform of asked.length === 0 ? PLATFORMS : asked) {
  const [os, cpu] = platform.split("-");
  const folder = mkdtempSync(join(tmpdir(), "board-platform-"));
  try {
    for (const file of ["package.json", "package-lock.json", ".npmrc"])
      copyFileSync(file, join(folder, file));
    const args = ["ci", `--os=${os}`, `--cpu=${cpu}`, "--ignore-scripts", "--no-audit", "--no-fund"];
    const { status, stdout, stderr } = spawnSync("npm", args, {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    const said = stderr.split("\n").filter((line) => line !== "" && !OF_THE_USER.test(line));
    const installed = stdout.match(/added (\d+) packages/)?.[1] ?? 0;
    const tools = readdirSync(join(folder, "node_modules/@biomejs")).join(", ");
    console.log(`${platform}: exit ${status}, ${installed} packages, @biomejs has ${tools}`);
    for (const line of said) console.log(`  ${line}`);
    if (status !== 0 || said.length > 0) failed += 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
process.exitCode = failed === 0 ? 0 : 1;

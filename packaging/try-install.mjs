/**
 * Installs the packed board as a stranger would: blank HOME, the registry alone, no flag, on several versions of Node.
 *
 *   npm pack && node packaging/try-install.mjs agent-board-*.tgz 20 22 24
 *
 * Each version must serve a board over HTTP whose model gets ready, and a session over stdio, within the bounds below.
 * Prints one line for each version, and exits with 1 when a bound is broken.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const BOUNDS = { packageMb: 2, footprintMb: 250, modelReadyS: 60, restMb: 250 };
/** The npm that comes with each version of Node. */
const NPM = { 20: 10, 22: 10, 24: 11 };

const [tarball, ...versions] = process.argv.slice(2);
if (tarball === undefined || versions.length === 0) {
  console.error("Usage: node packaging/try-install.mjs TARBALL NODE-VERSION…");
  process.exit(2);
}
const packed = resolve(tarball);
const packageMb = statSync(packed).size / 1e6;
console.log(`package: ${packageMb.toFixed(2)} MB`);
const broken = packageMb > BOUNDS.packageMb ? ["the package is too large"] : [];
const work = mkdtempSync(join(tmpdir(), "board-install-"));
try {
  for (const version of versions) broken.push(...(await tryOn(version)));
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const line of broken) console.error(line);
process.exitCode = broken.length === 0 ? 0 : 1;

async function tryOn(version) {
  const tools = installTools(version);
  const home = join(work, `home-${version}`);
  mkdirSync(home);
  const {
    npm_config_registry: registry,
    HTTPS_PROXY,
    HTTP_PROXY,
    NO_PROXY,
    NODE_EXTRA_CA_CERTS,
  } = process.env;
  const given = {
    npm_config_registry: registry ?? registryOf(),
    HTTPS_PROXY,
    HTTP_PROXY,
    NO_PROXY,
    NODE_EXTRA_CA_CERTS,
  };
  const env = {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    HOME: home,
    PATH: [tools, "/usr/bin", "/bin"].join(delimiter),
  };
  const began = performance.now();
  // The packages first, so that the second call shows what the board itself takes.
  execFileSync("npx", ["--yes", "--package", packed, "agent-board", "--help"], { env, cwd: home });
  const installS = (performance.now() - began) / 1000;
  const http = await serve(env, home);
  const stdio = await converse(env, home);
  const packagesMb = megabytes(join(home, ".npm/_npx"));
  const dataMb = megabytes(join(home, "data"));
  console.log(
    [
      `Node ${version}: installed in ${installS.toFixed(0)} s`,
      `first answer ${http.firstAnswerS.toFixed(1)} s`,
      `model ready ${http.modelReadyS.toFixed(1)} s`,
      `memory at rest ${http.restMb} MB`,
      `stdio ${stdio.tools} tools in ${stdio.seconds.toFixed(1)} s`,
      `packages ${packagesMb} MB, data with model ${dataMb} MB`,
    ].join(", "),
  );
  return [
    [packagesMb + dataMb > BOUNDS.footprintMb, `more than ${BOUNDS.footprintMb} MB on disk`],
    [http.modelReadyS > BOUNDS.modelReadyS, `no model within ${BOUNDS.modelReadyS} s`],
    [http.restMb > BOUNDS.restMb, `more than ${BOUNDS.restMb} MB of memory at rest`],
    [stdio.tools < 8, "too few tools over stdio"],
  ].flatMap(([isBroken, text]) => (isBroken ? [`Node ${version}: ${text}`] : []));
}

/** Node and the npm that belongs to it, both from the registry. */
function installTools(version) {
  const folder = join(work, `node-${version}`);
  mkdirSync(folder);
  const packages = [`node@${version}`, `npm@${NPM[version] ?? "latest"}`];
  execFileSync("npm", ["install", "--silent", "--no-save", "--prefix", folder, ...packages]);
  return join(folder, "node_modules/.bin");
}

function registryOf() {
  return execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
}

async function serve(env, cwd) {
  const began = performance.now();
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const board = start(env, cwd, [], { PORT: String(port) });
  try {
    const readiness = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        (answer) => answer.json(),
        () => null,
      );
    const firstAnswerS = await until(async () => (await readiness()) !== null, began, BOUNDS.modelReadyS);
    const modelReadyS = await until(
      async () => (await readiness())?.model === "ready",
      began,
      BOUNDS.modelReadyS,
    );
    // Ten seconds after its last call a board gives memory back.
    await sleep(15_000);
    return { firstAnswerS, modelReadyS, restMb: residentMb(port) };
  } finally {
    await stop(board);
  }
}

async function converse(env, cwd) {
  const began = performance.now();
  const board = start(env, cwd, ["stdio"], {});
  try {
    const say = (message) => board.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const lines = createInterface({ input: board.stdout })[Symbol.asyncIterator]();
    const clientInfo = { name: "try-install", version: "1" };
    say({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
    await lines.next();
    say({ method: "notifications/initialized" });
    say({ id: 2, method: "tools/list" });
    const { value } = await lines.next();
    return { tools: JSON.parse(value).result.tools.length, seconds: (performance.now() - began) / 1000 };
  } finally {
    await stop(board);
  }
}

function start(env, cwd, args, more) {
  const options = { env: { ...env, ...more }, cwd, stdio: ["pipe", "pipe", "ignore"], detached: true };
  const child = spawn("npx", ["--yes", "--package", packed, "agent-board", ...args], options);
  if (args.length === 0) child.stdout.resume();
  return child;
}

/** Ends npx together with the board below it. */
async function stop(child) {
  child.stdin.end();
  const ended = once(child, "exit");
  try {
    process.kill(-child.pid, "SIGINT");
  } catch {
    return;
  }
  await Promise.race([ended, sleep(10_000)]);
}

async function until(isDone, began, seconds) {
  while (!(await isDone())) {
    if (performance.now() - began > seconds * 1000 + 5000) return Number.POSITIVE_INFINITY;
    await sleep(50);
  }
  return (performance.now() - began) / 1000;
}

/** Resident memory of the process that listens on a port. */
function residentMb(port) {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const inode = readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .find((cells) => cells[1]?.endsWith(`:${hex}`) && cells[3] === "0A")?.[9];
  const pid = execFileSync(
    "sh",
    [
      "-c",
      `ls -l /proc/[0-9]*/fd 2>/dev/null | awk -v s="socket:[${inode}]" '/^\\/proc/ {p=$1} $NF==s {print p; exit}'`,
    ],
    { encoding: "utf8" },
  ).split("/")[2];
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kb) / 1024);
}

function megabytes(folder) {
  return Math.round(Number(execFileSync("du", ["-sk", folder], { encoding: "utf8" }).split("\t")[0]) / 1000);
}

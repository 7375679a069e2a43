/** `engines` of package.json says the same. */
const NODE_MIN = [20, 19] as const;

// This runs at the load of the first module, before others ask for what an older Node has not.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
  process.stderr.write(
    `Agent Board needs Node.js ${NODE_MIN.join(".")} or newer; this is ${process.versions.node}. Get it from https://nodejs.org.\n`,
  );
  process.exit(1);
}

export {};

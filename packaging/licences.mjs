/**
 * Lists the licences of everything the lock file names, for all platforms: `npm run licences`. Names each package whose
 * licence asks for more than a notice, and exits with 1 for a licence that nobody has looked at.
 */
import { readFileSync } from "node:fs";

/** They ask for their text, or for nothing. */
const PERMISSIVE = new Set(
  "0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 CC0-1.0 ISC MIT Python-2.0 Unlicense".split(" "),
);
/** What else is accepted, and why. */
const NAMED = {
  "LGPL-3.0-or-later":
    "a library of its own, loaded at run time and replaceable: state its use, and ship its licence with an image",
  "MPL-2.0": "changes to its own files must be published; it is used unchanged",
};

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
const byLicence = new Map();
for (const [path, { license = "none", dev = false, link = false }] of Object.entries(packages)) {
  if (path === "" || link) continue;
  const name = path.replace(/^.*node_modules\//, "");
  byLicence.set(license, [...(byLicence.get(license) ?? []), { name, dev }]);
}
let unknown = 0;
for (const [licence, found] of [...byLicence].sort(([a], [b]) => a.localeCompare(b))) {
  const run = found.filter(({ dev }) => !dev).length;
  console.log(`${licence}: ${run} to run, ${found.length - run} to develop`);
  // "A AND B" asks for both, "A OR B" for one of them.
  const asked = licence.replace(/[()]/g, "").split(" AND ");
  const left = asked.filter((one) => !one.split(" OR ").some((choice) => PERMISSIVE.has(choice)));
  for (const one of left) {
    if (!(one in NAMED)) unknown += 1;
    console.log(`  ${one}: ${NAMED[one] ?? "NOBODY HAS LOOKED AT IT"}`);
  }
  if (left.length > 0)
    for (const { name, dev } of found) console.log(`    ${name}${dev ? " (to develop)" : ""}`);
}
process.exitCode = unknown === 0 ? 0 : 1;

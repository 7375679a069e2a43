import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Entry {
  version: string;
  resolved?: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
  os?: string[];
  cpu?: string[];
  hasInstallScript?: boolean;
}

const read = (path: string) => readFileSync(path, "utf8");
const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Entry> };
const entries = Object.entries(packages).filter(([path, { link }]) => path !== "" && link !== true);
const nameOf = (path: string) => path.replace(/^.*node_modules\//, "");

describe("the lock file", () => {
  it("has an SHA-512 of everything, on every platform", () => {
    const without = entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));
    expect(without.map(([path]) => path)).toEqual([]);
  });

  it("names no registry, so that it works behind any mirror", () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it("has no install script that package.json does not allow or deny and docs/supply-chain.md does not name", () => {
    const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> };
    const page = read("docs/supply-chain.md");
    for (const [path] of entries.filter(([, { hasInstallScript }]) => hasInstallScript)) {
      expect(Object.keys(allowScripts)).toContain(nameOf(path));
      expect(page).toContain(`\`${nameOf(path)}\``);
    }
  });
});

describe("npm run licences", () => {
  it("knows every licence", () => {
    const list = execFileSync(process.execPath, ["packaging/licences.mjs"], { encoding: "utf8" });
    expect(list).toMatch(/^MIT: \d+ to run, \d+ to develop$/m);
    expect(list).not.toContain("NOBODY");
  });
});

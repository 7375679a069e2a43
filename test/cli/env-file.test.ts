import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { withEnvFile } from "../../src/env-file.ts";
import { openStore } from "../../src/store/open.ts";
import { runHere } from "../support/boards/command.ts";
import { useFolder } from "../support/boards/use.ts";

const folder = useFolder();
const file = join(folder, "board.env");
const read = (text: string): Record<string, string | undefined> => {
  const environment: Record<string, string | undefined> = { KEPT: "as it was" };
  writeFileSync(file, text);
  withEnvFile(["doctor", `--env-file=${file}`], environment);
  return environment;
};

describe("--env-file", () => {
  it("reads what systemd reads", () => {
    const text = [
      "# a comment \\",
      "that goes on: NO=1",
      "; another",
      "",
      "URL=mongodb://u:p@h/board?replicaSet=rs0&w=majority",
      "  SPACED =  two words  ",
      "SINGLE='a $b \\n \"c\"'",
      'DOUBLE="a \\"b\\" \\$c \\d \\\\"',
      "PARTS='one '\"two \"three",
      "JOINED=one\\",
      "two",
      "PLAIN=a\\ b\\\\c",
      "EMPTY=",
      "HASH=a#b",
      "KEPT=over",
      'LINES="first',
      'second"',
    ].join("\n");
    const found = {
      URL: "mongodb://u:p@h/board?replicaSet=rs0&w=majority",
      SPACED: "two words",
      SINGLE: 'a $b \\n "c"',
      DOUBLE: 'a "b" $c \\d \\',
      PARTS: "one two three",
      JOINED: "onetwo",
      PLAIN: "a b\\c",
      EMPTY: "",
      HASH: "a#b",
      KEPT: "over",
      LINES: "first\nsecond",
    };
    expect(read(text)).toEqual(found);
    expect(read(text.replaceAll("\n", "\r\n"))).toEqual(found);
  });

  it("names a wrong line, a file that is not there unless it may be missing, and an option without one", () => {
    expect(() => read("A=1\n\nno variable\nB=2")).toThrow(/board\.env, line 3 is no NAME=VALUE/);
    expect(() => read("A=1\nB='open")).toThrow(/line 2 has a quotation mark/);
    expect(() => withEnvFile(["--env-file", `${file}-none`], {})).toThrow(/cannot be read \(ENOENT\)/);
    expect(withEnvFile(["list", "--env-file", `-${file}-none`], {})).toEqual(["list"]);
    expect(() => withEnvFile(["list", "--env-file", `-${folder}`], {})).toThrow(/cannot be read \(EISDIR\)/);
    expect(() => withEnvFile(["list", "--env-file"], {})).toThrow(/name a file/);
    expect(withEnvFile(["import", "--", "--env-file"], {})).toEqual(["import", "--", "--env-file"]);
  });

  it("is taken by any command, before and after its name, and restores into the store that it names", async () => {
    const url = `sqlite:${folder}/elsewhere/board.db`;
    await (await openStore(url)).close();
    writeFileSync(file, `STORE_URL='${url}'\nSECRET_KEY=${"k".repeat(40)}\n`);
    const elsewhere = { DATA_DIR: join(folder, "nothing-here") };
    const backup = join(folder, "board.jsonl.gz");
    expect((await runHere(["--env-file", file, "backup", backup], elsewhere)).code).toBe(0);
    expect((await runHere(["publishers", "list", "--env-file", file], elsewhere)).code).toBe(0);
    expect((await runHere(["publishers", "list"], elsewhere)).stderr).toContain("There is no board at");
    const to = `sqlite:${folder}/restored/board.db`;
    writeFileSync(file, `STORE_URL=${to}\nSECRET_KEY="${"k".repeat(40)}"\n`);
    const restored = await runHere(["restore", backup, "--env-file", file], elsewhere);
    expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining(`Into ${to}\n`)]);
    const wrong = await runHere(["doctor", "--env-file", `${file}-none`], {});
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/^--env-file: .*cannot be read/)]);
  });
});

describe("readConfig", () => {
  it("takes off quotes and a carriage return that others pass on from a file", () => {
    const config = readConfig({ PORT: '"9000"\r', STORE_URL: "'sqlite:/tmp/a.db'", HOST: "127.0.0.1\r" });
    expect([config.port, config.storeUrl, config.host]).toEqual([9000, "sqlite:/tmp/a.db", "127.0.0.1"]);
  });
});

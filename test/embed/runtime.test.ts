import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { MODELS } from "../../src/embed/models.ts";
import { runtimeFor } from "../../src/embed/runtime.ts";
import { openTokenizer } from "../../src/embed/tokenizer.ts";
import { ensureTestModel } from "../support/search/model.ts";

const packageFolder = dirname(createRequire(import.meta.url).resolve("onnxruntime-node/package.json"));
const MACHINES = ["linux-x64", "linux-arm64", "darwin-arm64", "win32-x64", "win32-arm64"];

describe("the runtime's libraries", () => {
  it.each(MACHINES)("of %s are those of the pinned package, byte for byte", (machine) => {
    const [platform = "", processor = ""] = machine.split("-");
    const set = runtimeFor(platform, processor);
    const manifest = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
    expect(set?.registryPackage).toMatchObject({ name: manifest.name, version: manifest.version });
    for (const { path, copies } of set?.files ?? []) {
      const bytes = readFileSync(join(packageFolder, set?.registryPackage.folder ?? "", path));
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      expect(copies).toEqual([{ bytes: bytes.length, sha256 }]);
    }
    expect(set?.files.map(({ path }) => path)).toContain("onnxruntime_binding.node");
  });

  it("are missing for other machines, which search by words", () => {
    expect(runtimeFor("linux", "ppc64")).toBeNull();
    expect(runtimeFor("darwin", "x64")).toBeNull();
  });

  it("belong to the version whose tensors the board hands over", () => {
    const { version } = JSON.parse(
      readFileSync(join(packageFolder, "../onnxruntime-common/package.json"), "utf8"),
    );
    expect(version).toBe(runtimeFor("linux", "x64")?.registryPackage.version);
  });
});

describe("the tokens of a text", () => {
  let tokensOf: (text: string) => number[];
  beforeAll(async () => {
    const [model] = MODELS;
    tokensOf = await openTokenizer(join(await ensureTestModel(), model.folder), model.maxTokens);
  });

  // Recorded with @huggingface/transformers 4.3.1, whose tokens are behind the vectors of all boards so far.
  const recorded: { text: string; ids: number[] }[] = JSON.parse(
    readFileSync(new URL("tokens.json", import.meta.url), "utf8"),
  );
  it.each(recorded)("stay those of the first release: $text", ({ text, ids }) => {
    expect(tokensOf(text)).toEqual(ids);
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { FileSet } from "../../src/embed/download.ts";
import { ensureFiles } from "../../src/embed/files.ts";
import { MODELS } from "../../src/embed/models.ts";
import { runtimeFor } from "../../src/embed/runtime.ts";
import { openTokenizer } from "../../src/embed/tokenizer.ts";
import { ensureTestModel, kept } from "../support/search/model.ts";

const MACHINES = ["linux-x64", "linux-arm64", "darwin-arm64", "win32-x64", "win32-arm64"];

describe("the runtime's libraries", () => {
  it("of every machine are those of the pinned package, byte for byte", async () => {
    const sets = MACHINES.map((machine) => {
      const [platform = "", processor = ""] = machine.split("-");
      const set = runtimeFor(platform, processor);
      if (set === null) throw new Error(machine);
      expect(set.files.map(({ path }) => path)).toContain("onnxruntime_binding.node");
      return { inside: `${platform}/${processor}`, ...set };
    });
    const [first] = sets;
    if (first === undefined) throw new Error("no machines");
    const set: FileSet = {
      ...first,
      folder: "onnxruntime-node",
      files: sets.flatMap(({ inside, files }) =>
        files.map((file) => ({ ...file, path: `${inside}/${file.path}` })),
      ),
      registryPackage: first.registryPackage && { ...first.registryPackage, folder: "bin/napi-v6" },
    };
    const cacheDir = kept("runtimes");
    expect(await ensureFiles({ set, modelDir: cacheDir, cacheDir })).toBe(cacheDir);
  }, 600_000);

  it("are missing for other machines, which search by words", () => {
    expect(runtimeFor("linux", "ppc64")).toBeNull();
    expect(runtimeFor("darwin", "x64")).toBeNull();
  });

  it("belong to the version whose tensors the board hands over", () => {
    const manifest = new URL("../../node_modules/onnxruntime-common/package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(manifest, "utf8"));
    expect(version).toBe(runtimeFor("linux", "x64")?.registryPackage?.version);
  });
});

describe("the tokens of a text", () => {
  let tokensOf: (text: string) => number[];
  beforeAll(async () => {
    const [model] = MODELS;
    const folder = join(await ensureTestModel(), model.folder);
    tokensOf = (await openTokenizer(folder, model.maxTokens, false)).idsOf;
  });

  it("that is cut keep the end where the model is of the operator's choice, and not in the default one", async () => {
    const [{ folder }] = MODELS;
    const cut = async (closes: boolean) => {
      const { idsOf } = await openTokenizer(join(await ensureTestModel(), folder), 8, closes);
      return idsOf("a garden chair ".repeat(9));
    };
    const [open, closed] = [await cut(false), await cut(true)];
    expect([open.length, closed.slice(0, 7)]).toEqual([8, open.slice(0, 7)]);
    expect(closed[7]).toBe(tokensOf("").at(-1));
    expect(open[7]).not.toBe(closed[7]);
  });

  // Recorded with @huggingface/transformers 4.3.1, whose tokens are behind the vectors of all boards so far.
  const recorded: { text: string; ids: number[] }[] = JSON.parse(
    readFileSync(new URL("tokens.json", import.meta.url), "utf8"),
  );
  // The model reads 256 of them.
  recorded.push({
    text: "a garden chair ".repeat(100),
    ids: [101, ...Array<number[]>(85).fill([1037, 3871, 3242]).flat()],
  });
  it.each(recorded)("stay those of the first release: $text", ({ text, ids }) => {
    expect(tokensOf(text)).toEqual(ids);
  });
});

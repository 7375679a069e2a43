import { resolve } from "node:path";
import { Command } from "commander";
import { type Config, readConfig } from "../config.ts";
import { chooseModel, completeModel } from "../embed/chosen/index.ts";
import { PRESETS } from "../embed/chosen/name.ts";
import { ensureFiles, findFiles } from "../embed/files.ts";
import { type EmbeddingModel, MODELS } from "../embed/models.ts";
import { ensureRuntime, findRuntime } from "../embed/runtime.ts";
import { commandBelow, createProgress, print } from "./output.ts";

/** Makes `agent-board models list` and `agent-board models pull [NAME]`, in the folders of the configuration. */
export function modelsCommand(): Command {
  const command = new Command("models");

  commandBelow(command, "list", "known models and the configured one, and where their files are").action(
    async ({ json }: { json: boolean }) => {
      const config = readConfig(process.env);
      const places = foldersOf(config);
      const offline = { ...places, offline: true };
      const chosen = await chooseModel(config.embeddingModel, offline).catch(reasonOf);
      const known = typeof chosen === "string" ? MODELS : new Set([...MODELS, chosen]);
      const models = await Promise.all(
        [...known].map(async (model) => {
          const set = await completeModel(model, offline).catch(() => null);
          const found = set === null ? null : await findFiles({ set, ...places });
          return factsOf(model, model === chosen, found === null ? null : resolve(found, model.folder));
        }),
      );
      const runtime = await findRuntime(places);
      const lines = models.map(lineOf);
      for (const { name, repository } of PRESETS)
        lines.push(`  ${name.padEnd(20)}  ${repository}, at its commit of the first pull; not measured here`);
      if (typeof chosen === "string") lines.push(`* ${config.embeddingModel}  ${chosen}`);
      lines.push(`  runtime               ${runtime ?? "not here"}`);
      print(json, { models, runtime }, lines.join("\n"));
    },
  );

  const pull = "download a model and its runtime, check them, and print the folder that holds them";
  commandBelow(command, "pull", pull)
    .argument("[name]", "a name of `models list`; default: the configured model")
    .option("--dir <folder>", "where to put it; a board finds it there by MODEL_DIR")
    .action(async (name: string | undefined, options: { dir?: string; json: boolean }) => {
      const config = readConfig(process.env);
      const folders =
        options.dir === undefined ? foldersOf(config) : { modelDir: options.dir, cacheDir: options.dir };
      try {
        const fetch = { ...folders, progress: createProgress };
        const chosen = await chooseModel(name ?? config.embeddingModel, fetch);
        const [set] = await Promise.all([completeModel(chosen, fetch), ensureRuntime(fetch)]);
        const folder = await ensureFiles({ ...fetch, set });
        print(options.json, { name: chosen.name, folder }, folder);
      } catch (error) {
        command.error(`${name ?? config.embeddingModel ?? "the model"}: ${reasonOf(error)}`);
      }
    });

  return command;
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A board of this configuration looks for models in the first, and puts downloads into the second. */
export function foldersOf(config: Config): { modelDir: string; cacheDir: string } {
  return { modelDir: config.modelDir, cacheDir: `${config.dataDir}/models` };
}

/** @param folder  null where its files are not on this machine */
const factsOf = (
  { name, files, dimension, maxTokens: max_tokens, license }: EmbeddingModel,
  chosen: boolean,
  folder: string | null,
) => {
  const bytes = files.reduce((sum, file) => sum + (file.copies[0]?.bytes ?? 0), 0);
  return { name, bytes, dimension, max_tokens, license, chosen, folder };
};

const lineOf = (facts: ReturnType<typeof factsOf>): string =>
  [
    `${facts.chosen ? "*" : " "} ${facts.name.padEnd(20)}`,
    `${(facts.bytes / 1e6).toFixed(0)} MB`.padStart(6),
    `${facts.dimension} dimensions`,
    `${facts.max_tokens} tokens`,
    facts.license.padEnd(10),
    facts.folder ?? "not here",
  ].join("  ");

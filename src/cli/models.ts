import { isAbsolute } from "node:path";
import { Command } from "commander";
import { type Config, readConfig } from "../config.ts";
import { chooseModel, completeModel } from "../embed/chosen/index.ts";
import { PRESETS } from "../embed/chosen/name.ts";
import { ensureFiles, findFiles } from "../embed/files.ts";
import { type EmbeddingModel, MODELS } from "../embed/models.ts";
import { ensureRuntime, findRuntime } from "../embed/runtime.ts";
import { commandBelow, createProgress, print } from "./output.ts";

/** `agent-board models list` and `agent-board models pull [NAME]`, in the folders of the configuration. */
export function modelsCommand(): Command {
  const command = new Command("models");

  commandBelow(command, "list", "known models and the configured one, and where their files are").action(
    async ({ json }: { json: boolean }) => {
      const config = readConfig(process.env);
      const places = foldersOf(config);
      const chosen = await chooseModel(config.embeddingModel, { ...places, offline: true }).catch(reasonOf);
      const listed = typeof chosen === "string" || MODELS.includes(chosen) ? MODELS : [...MODELS, chosen];
      const models = await Promise.all(
        listed.map(async (model) => {
          const set = await completeModel(model, { ...places, offline: true }).catch(() => null);
          const found = set === null ? null : await findFiles({ set, ...places });
          const folder = found !== null && isAbsolute(model.folder) ? model.folder : found;
          return { model, chosen: model === chosen, folder };
        }),
      );
      const runtime = await findRuntime(places);
      const lines = models.map((one) => lineOf(one.model, one.chosen, one.folder));
      for (const { name, repository } of PRESETS)
        lines.push(
          `  ${name.padEnd(20)}  hub:${repository}, at its commit of the first pull; not measured here`,
        );
      if (typeof chosen === "string") lines.push(`* ${config.embeddingModel}  ${chosen}`);
      lines.push(`  runtime               ${runtime ?? "not here"}`);
      const facts = models.map(({ model: { name, dimension, maxTokens, license, ...model }, ...rest }) => ({
        ...{ name, bytes: bytesOf(model), dimension, max_tokens: maxTokens, license, ...rest },
      }));
      print(json, { models: facts, runtime }, lines.join("\n"));
    },
  );

  const pull = "download a model and its runtime, check them, and print the folder that holds them";
  commandBelow(command, "pull", pull)
    .argument(
      "[name]",
      "a name of `models list`, or hub:<owner>/<name>[@<commit>]; default: the configured model",
    )
    .option("--dir <folder>", "where to put it; a board finds it there by MODEL_DIR")
    .action(async (name: string | undefined, options: { dir?: string; json: boolean }) => {
      const config = readConfig(process.env);
      const folders =
        options.dir === undefined ? foldersOf(config) : { modelDir: options.dir, cacheDir: options.dir };
      const aborted = new AbortController();
      process.once("SIGINT", () => aborted.abort());
      try {
        const fetch = { ...folders, progress: createProgress, signal: aborted.signal };
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

/** Where a board of this configuration looks for models first, and where it puts downloads. */
export function foldersOf(config: Config): { modelDir: string; cacheDir: string } {
  return { modelDir: config.modelDir, cacheDir: `${config.dataDir}/models` };
}

const bytesOf = ({ files }: Pick<EmbeddingModel, "files">): number =>
  files.reduce((sum, file) => sum + (file.copies[0]?.bytes ?? 0), 0);

function lineOf(model: EmbeddingModel, chosen: boolean, folder: string | null): string {
  return [
    `${chosen ? "*" : " "} ${model.name.padEnd(20)}`,
    `${(bytesOf(model) / 1e6).toFixed(0)} MB`.padStart(6),
    `${model.dimension} dimensions`,
    `${model.maxTokens} tokens`,
    model.license.padEnd(10),
    folder ?? "not here",
  ].join("  ");
}

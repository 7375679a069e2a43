import { Command } from "commander";
import { type Config, readConfig } from "../config.ts";
import { ensureFiles, findFiles } from "../embed/files.ts";
import { type EmbeddingModel, MODELS, modelNamed } from "../embed/models.ts";
import { ensureRuntime, findRuntime } from "../embed/runtime.ts";
import { jsonOption, print } from "./output.ts";
import { createProgress } from "./progress.ts";

/** `agent-board models list` and `agent-board models pull [NAME]`, in the folders of the configuration. */
export function modelsCommand(): Command {
  const command = new Command("models").description("embedding models of this machine");

  command
    .command("list")
    .description("known models, and where their files are")
    .addOption(jsonOption())
    .action(async ({ json }: { json: boolean }) => {
      const config = readConfig(process.env);
      const chosen = modelNamed(config.embeddingModel);
      const models = await Promise.all(
        MODELS.map(async (model) => {
          const folder = await findFiles({ set: model, ...foldersOf(config) });
          return { model, chosen: model === chosen, folder };
        }),
      );
      const runtime = await findRuntime(foldersOf(config));
      const lines = models.map((one) => lineOf(one.model, one.chosen, one.folder));
      lines.push(`  runtime               ${runtime ?? "not here"}`);
      const facts = models.map(({ model: { name, dimension, maxTokens, license, ...model }, ...rest }) => ({
        ...{ name, bytes: bytesOf(model), dimension, max_tokens: maxTokens, license, ...rest },
      }));
      print(json, { models: facts, runtime }, lines.join("\n"));
    });

  command
    .command("pull")
    .description("download a model and its runtime, check them, and print the folder that holds them")
    .argument("[name]", "a name of `models list`; default: the configured model")
    .option("--dir <folder>", "where to put it; a board finds it there by MODEL_DIR")
    .addOption(jsonOption())
    .action(async (name: string | undefined, options: { dir?: string; json: boolean }) => {
      const config = readConfig(process.env);
      const model = modelNamed(name ?? config.embeddingModel);
      if (model === null) {
        const known = MODELS.map((one) => one.name).join(", ");
        return command.error(`There is no such model. Known: ${known}.`);
      }
      const folders =
        options.dir === undefined ? foldersOf(config) : { modelDir: options.dir, cacheDir: options.dir };
      const aborted = new AbortController();
      process.once("SIGINT", () => aborted.abort());
      try {
        const fetch = { ...folders, progress: createProgress, signal: aborted.signal };
        const [folder] = await Promise.all([ensureFiles({ ...fetch, set: model }), ensureRuntime(fetch)]);
        print(options.json, { name: model.name, folder }, folder);
      } catch (error) {
        command.error(error instanceof Error ? error.message : String(error));
      }
    });

  return command;
}

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

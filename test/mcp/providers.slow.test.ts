import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { recordedCatalog } from "../../scripts/recorded/catalog.ts";
import { useTestBoard } from "../support/boards/use.ts";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "clients");
const NAMES = recordedCatalog().tools.map(({ name }) => name);
// Outside of CI, `test/mcp/clients/install.sh` brings them.
const isInstalled = existsSync(join(FOLDER, "node_modules"));

type Schema = Record<string, unknown>;
interface Converted {
  name: string;
  strict?: boolean;
  schema?: Schema;
}

let converted: Record<string, Converted[]>;
const board = useTestBoard();
beforeAll(async () => {
  if (!isInstalled) return;
  const { stdout } = await run(process.execPath, ["convert.mjs", `${board.url}/mcp`], {
    cwd: FOLDER,
    maxBuffer: 1e8,
  });
  converted = JSON.parse(stdout);
});

/** Every schema within a schema, with its path. */
function within(schema: Schema, path = ""): [string, Schema][] {
  const { properties, items } = schema;
  const inner: [string, unknown][] = [
    ...Object.entries((properties ?? {}) as Schema),
    ...(items === undefined ? [] : [["items", items] as [string, unknown]]),
  ];
  return [[path, schema], ...inner.flatMap(([name, each]) => within(each as Schema, `${path}.${name}`))];
}
const withoutNull = (schema: Schema): Schema => {
  const choices = schema["anyOf"] as Schema[] | undefined;
  return choices?.find(({ type }) => type !== "null") ?? schema;
};

describe.skipIf(!isInstalled && process.env["CI"] === undefined)(
  "the tools, as hosts convert them for providers",
  () => {
    it("are all eight of them, from each host", () => {
      expect(Object.keys(converted).length).toBe(8);
      for (const [host, tools] of Object.entries(converted))
        expect([host, tools.map(({ name }) => name)]).toEqual([host, NAMES]);
    });

    it.each(["@ai-sdk/google", "@google/genai", "@langchain/google-genai"])(
      "are what Gemini takes: a type everywhere, choices of strings, no alternatives or references (%s)",
      (host) => {
        for (const { name, schema } of converted[host] ?? []) {
          for (const [path, each] of schema === undefined ? [] : within(schema)) {
            const at = `${name}${path}`;
            expect([at, typeof each["type"]]).toEqual([at, "string"]);
            for (const key of ["anyOf", "oneOf", "allOf", "$ref", "const", "not", "default"])
              expect([at, Object.keys(each)]).not.toEqual([at, expect.arrayContaining([key])]);
            const choices = each["enum"] as unknown[] | undefined;
            if (choices !== undefined) {
              expect([at, each["type"]]).toEqual([at, "string"]);
              expect([at, choices.every((choice) => typeof choice === "string")]).toEqual([at, true]);
            }
            if (each["type"] === "object" && path !== "")
              expect([at, Object.keys((each["properties"] ?? {}) as Schema).length > 0]).toEqual([at, true]);
          }
        }
      },
    );

    it("are all in OpenAI's strict mode: every object closed, every field required or null (@openai/agents)", () => {
      for (const { name, strict, schema = {} } of converted["@openai/agents, strict"] ?? []) {
        expect([name, strict]).toEqual([name, true]);
        for (const [path, each] of within(schema)) {
          const object = withoutNull(each);
          if (object["type"] !== "object") continue;
          const at = `${name}${path}`;
          expect([at, object["additionalProperties"]]).toEqual([at, false]);
          expect([at, object["required"]]).toEqual([at, Object.keys((object["properties"] ?? {}) as Schema)]);
        }
      }
    });

    it.each(["@ai-sdk/openai", "@langchain/openai", "@ai-sdk/anthropic", "@langchain/anthropic"])(
      "are objects with typed fields (%s)",
      (host) => {
        for (const { name, schema = {} } of converted[host] ?? []) {
          for (const [path, each] of within(schema))
            expect([name + path, typeof each["type"]]).toEqual([name + path, "string"]);
        }
      },
    );
  },
);

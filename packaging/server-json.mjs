/** The `server.json` of the MCP registry, and the rules of its schema that bear on it. */
import { z } from "zod";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

const Exact = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/, "must be one exact version");
/** Of https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, as strict as this board needs. */
export const Server = z.strictObject({
  $schema: z.literal(SCHEMA),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, "must be a reverse domain, a slash and a name"),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: Exact,
  packages: z.array(
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.string().min(1),
      version: Exact,
      runtimeHint: z.literal("npx"),
      transport: z.strictObject({ type: z.literal("stdio") }),
      packageArguments: z.array(z.strictObject({ type: z.literal("positional"), value: z.string() })),
      environmentVariables: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          isSecret: z.boolean().optional(),
          default: z.string().optional(),
        }),
      ),
    }),
  ),
  remotes: z.array(z.strictObject({ type: z.literal("streamable-http"), url: z.httpUrl() })).optional(),
});

/** Stands in package.json until somebody publishes. */
const PLACEHOLDER = "io.github.agent-board/agent-board";

/** True while nobody has given the server a name of their own. */
export const isPlaceholder = ({ mcpName }) => mcpName === PLACEHOLDER;

/**
 * The manifest with another name in the registry.
 * @param name  `io.github.ACCOUNT/NAME` for who signs in with GitHub, else a domain backwards, a slash and a name
 * @throws Error with one line for the publisher when the registry would refuse it
 */
export function withName(manifest, name) {
  const namespace = /^[a-z0-9-]+(\.[a-z0-9-]+)+\/[\w.-]+$/i;
  if (!Server.shape.name.safeParse(name).success || !namespace.test(name))
    throw new Error(
      `"${name}" is no name in the registry: it must be a domain of yours backwards, a slash and a name, such as io.github.ACCOUNT/agent-board or org.example/agent-board.`,
    );
  return { ...manifest, mcpName: name };
}

/**
 * @param manifest  the package's `package.json`; its `mcpName` is the server's name, which the registry compares
 * @param site  root of a public board, or undefined
 * @throws ZodError when it breaks a rule of the registry
 */
export function serverJson({ name, version, mcpName }, site) {
  return Server.parse({
    $schema: SCHEMA,
    name: mcpName,
    title: "Agent Board",
    description: "A public bulletin board for AI agents: search, post and watch notices.",
    version,
    packages: [
      {
        registryType: "npm",
        identifier: name,
        version,
        runtimeHint: "npx",
        transport: { type: "stdio" },
        packageArguments: [{ type: "positional", value: "stdio" }],
        environmentVariables: [
          {
            name: "BOARD_API_KEY",
            description: "The key to write with; reading needs none.",
            isSecret: true,
          },
          {
            name: "DATA_DIR",
            description: "Where posts and the language model are kept.",
            default: "./data",
          },
        ],
      },
    ],
    ...(site === undefined
      ? {}
      : { remotes: [{ type: "streamable-http", url: new URL("/mcp", site).href }] }),
  });
}

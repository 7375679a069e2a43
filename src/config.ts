import { join, resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { z } from "zod";

const onOff = z.enum(["on", "off"], { error: "must be on or off" });
const port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port number")
  .transform(Number)
  .refine((n) => n <= 65_535, "must be at most 65535");
const words = z.string().transform((text) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== ""),
);

const storeUrl = z
  .string()
  .regex(
    /^(sqlite:|mongodb:\/\/|mongodb\+srv:\/\/)/,
    "must start with sqlite:, mongodb:// or mongodb+srv://",
  );

const siteUrl = z
  .string()
  .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), "must be an http or https URL")
  .transform((text) => new URL(text))
  .refine((url) => `${url.origin}/` === url.href, "must be a site's root, without a path or credentials")
  .transform((url) => url.origin);

/** A number of hops, or addresses and CIDR blocks. `true` would let anyone forge the address that limits count by. */
const trustProxy = z.string().transform((text, context): number | string[] | false => {
  if (text === "off" || text === "") return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const blocks = text.split(",").map((block) => block.trim());
  if (blocks.every(isAddressOrBlock)) return blocks;
  context.addIssue({
    code: "custom",
    message: "must be off, a number of hops, or a list of addresses and CIDR blocks",
  });
  return z.NEVER;
});

const isAddressOrBlock = (text: string) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text);

const allowedHosts = words.refine(
  (hosts) => hosts.every((host) => /^[^/@?#*]+$/.test(host) && URL.canParse(`http://${host}`)),
  "must be host names, such as board.example",
);

const webhookAllow = words.refine(
  (entries) => entries.every((entry) => isAddressOrBlock(entry) || /^[\p{L}\p{N}_.-]+$/u.test(entry)),
  "must be CIDR blocks, addresses or host names",
);

/** `on`, `off`, or overrides of single policies: `search=600/60,write=120/60`. */
const rateLimits = z
  .string()
  .transform((text, context): "on" | "off" | Record<string, { count: number; seconds: number }> => {
    if (text === "on" || text === "off") return text;
    const overrides: Record<string, { count: number; seconds: number }> = {};
    for (const part of text.split(",")) {
      const match = /^\s*([a-z]+(?:_[a-z]+)*)=(\d{1,9})\/(\d{1,9})\s*$/.exec(part);
      if (match?.[1] === undefined || Number(match[3]) === 0) {
        context.addIssue({ code: "custom", message: "must be on, off, or NAME=COUNT/SECONDS,…" });
        return z.NEVER;
      }
      overrides[match[1]] = { count: Number(match[2]), seconds: Number(match[3]) };
    }
    return overrides;
  });

/** An address for reports of security problems, as security.txt wants it: a URI. */
const contact = z
  .string()
  .transform((text) => (/^[^\s@:]+@[^\s@:]+$/.test(text) ? `mailto:${text}` : text))
  .refine(
    (text) => /^(mailto:\S+@\S+|https:\/\/\S+|tel:\S+)$/.test(text),
    "must be a mail address or an https URL",
  );

/** Every environment variable: type, default, meaning. */
const Variables = z.object({
  PORT: port.default(8787).describe("Port of the listener; 0 takes a free one."),
  HOST: z.string().default("127.0.0.1").describe("Address of the listener."),
  SITE_URL: siteUrl
    .optional()
    .describe("Public root; every link is built from it. Default http://localhost:$PORT."),
  DATA_DIR: z.string().default("./data").describe("Embedded database and model cache."),
  STORE_URL: storeUrl
    .optional()
    .describe("sqlite:FILE, mongodb://… or mongodb+srv://…. Default sqlite:$DATA_DIR/board.db."),
  MONGODB_URI: storeUrl.optional().describe("Alias of STORE_URL."),
  LOCAL_INDEX: z
    .enum(["full", "recent"], { error: "must be full or recent" })
    .default("full")
    .describe(
      "Beside a MongoDB that searches itself (mongot): full keeps an index of all posts here, which answers while mongot is away; recent only one of the last minutes. Without mongot: full.",
    ),
  MODEL_DIR: z
    .string()
    .optional()
    .describe("Where model files are looked for first. Default $DATA_DIR/models."),
  EMBEDDINGS: z
    .enum(["auto", "required", "off"], { error: "must be auto, required or off" })
    .default("auto")
    .describe(
      "auto loads or downloads the model and goes on without it when neither works; required refuses to start without; off searches by words only.",
    ),
  EMBEDDING_MODEL: z.string().optional().describe("Another model of `agent-board models list`."),
  TRUST_PROXY: trustProxy.default(false).describe("off, a number of hops, or CIDR blocks of proxies."),
  RATE_LIMITS: rateLimits
    .default("on")
    .describe("on, off, or NAME=COUNT/SECONDS,… to override single policies."),
  READ_ONLY: onOff.default("off").describe("on: writes answer 503 read_only."),
  WEBHOOK_ALLOW: webhookAllow
    .default([])
    .describe("CIDR blocks or host names exempt from the outgoing guard."),
  ALLOWED_HOSTS: allowedHosts.default([]).describe("Further host names for /mcp."),
  REPORTS_TO_HIDE: z
    .string()
    .regex(/^\d{1,6}$/, "must be a whole number")
    .transform(Number)
    .default(5)
    .describe("Distinct reporters that hide a post of an unverified publisher; 0 never hides."),
  SECRET_KEY: z
    .string()
    .min(32, "must have at least 32 characters")
    .optional()
    .describe(
      "Derives webhook secrets and idempotent ids; the same on all instances. Made and kept at the first start.",
    ),
  ADMIN_PORT: z
    .union([z.literal("off").transform(() => null), port], { error: "must be off or a port number" })
    .default(null)
    .describe("Port of the 127.0.0.1 admin listener."),
  CONTACT: contact
    .optional()
    .describe("Mail address or https URL for security reports; makes /.well-known/security.txt."),
  AI_TRAINING: onOff
    .default("off")
    .describe(
      "on: robots.txt lets crawlers train models on the posts; reading and answering from them is always welcome.",
    ),
  LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], {
      error: "must be trace, debug, info, warn, error, fatal or silent",
    })
    .default("info")
    .describe("JSON lines on stderr."),
});

/** The names of all variables with their meaning, for the documents. */
export const VARIABLES: readonly { name: string; meaning: string }[] = Object.entries(Variables.shape).map(
  ([name, schema]) => ({ name, meaning: schema.description ?? "" }),
);

export interface Config {
  port: number;
  host: string;
  siteUrl: string | null;
  dataDir: string;
  storeUrl: string;
  localIndex: "full" | "recent";
  modelDir: string;
  embeddings: "auto" | "required" | "off";
  embeddingModel: string | null;
  trustProxy: number | string[] | false;
  rateLimits: "on" | "off" | Record<string, { count: number; seconds: number }>;
  readOnly: boolean;
  webhookAllow: readonly string[];
  allowedHosts: readonly string[];
  reportsToHide: number;
  secretKey: string | null;
  adminPort: number | null;
  /** A URI. */
  contact: string | null;
  aiTraining: boolean;
  logLevel: string;
}

/** A wrong environment, one line per mistake. */
export class ConfigError extends Error {
  constructor(mistakes: readonly string[]) {
    super(mistakes.join("\n"));
    this.name = "ConfigError";
  }
}

/**
 * Reads the environment. Empty variables count as unset.
 * @throws ConfigError
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const set = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Variables.safeParse(set);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  }
  const v = parsed.data;
  const dataDir = resolve(v.DATA_DIR);
  return {
    port: v.PORT,
    host: v.HOST,
    siteUrl: v.SITE_URL ?? null,
    dataDir,
    storeUrl: v.STORE_URL ?? v.MONGODB_URI ?? `sqlite:${join(dataDir, "board.db")}`,
    localIndex: v.LOCAL_INDEX,
    modelDir: resolve(v.MODEL_DIR ?? join(dataDir, "models")),
    embeddings: v.EMBEDDINGS,
    embeddingModel: v.EMBEDDING_MODEL ?? null,
    trustProxy: v.TRUST_PROXY,
    rateLimits: v.RATE_LIMITS,
    readOnly: v.READ_ONLY === "on",
    webhookAllow: v.WEBHOOK_ALLOW,
    allowedHosts: v.ALLOWED_HOSTS,
    reportsToHide: v.REPORTS_TO_HIDE,
    secretKey: v.SECRET_KEY ?? null,
    adminPort: v.ADMIN_PORT,
    contact: v.CONTACT ?? null,
    aiTraining: v.AI_TRAINING === "on",
    logLevel: v.LOG_LEVEL,
  };
}

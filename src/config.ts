import { join, resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { ConfigError } from "./board/failures.ts";
import { DEFAULT_IDENTITY } from "./domain/site.ts";
import { parseUrl } from "./platform/parse-url.ts";
import { Near } from "./schema/place.ts";
import { WebhookSecret } from "./schema/scalars.ts";
import { slipsBetween } from "./search/text/spelling.ts";

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
  .refine((text) => /^https?:\/\//.test(text) && parseUrl(text) !== null, "must be an http or https URL")
  .transform((text) => new URL(text))
  .refine((url) => `${url.origin}/` === url.href, "must be a site's root, without a path or credentials")
  .transform((url) => url.origin);

/** Takes a number of hops, or addresses and CIDR blocks. */
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

/** A whole number is none, though the library takes it for an IPv4 address. */
const isAddressOrBlock = (text: string) =>
  !/^\d+(\/\d+)?$/.test(text) && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text));

const allowedHosts = words.refine(
  (hosts) => hosts.every((host) => /^[^/@?#*]+$/.test(host) && parseUrl(`http://${host}`) !== null),
  "must be host names, such as board.example",
);

const webhookAllow = words.refine(
  (entries) => entries.every((entry) => isAddressOrBlock(entry) || /^[\p{L}\p{N}_.-]+$/u.test(entry)),
  "must be CIDR blocks, addresses or host names",
);

/** Takes `on`, `off`, or overrides of single policies: `search=600/60,write=120/60`. */
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

/** Takes one key, or `NAME:KEY` of several operators. A person can hold and a program can guess at most what is this long. */
const operatorKeys = words
  .transform((entries) =>
    entries.map((entry) => {
      const [, name = null, key = ""] = /^(?:([a-z][\w-]{0,29}):)?(.*)$/i.exec(entry) ?? [];
      return { name, key };
    }),
  )
  .refine(
    (keys) => keys.every(({ key }) => /^[\x21-\x7e]{24,200}$/.test(key)),
    "needs keys of 24 characters or more",
  )
  .refine(
    (keys) => keys.length < 2 || new Set(keys.map(({ name }) => name ?? "")).size === keys.length,
    "must give each of several keys a name of its own, as in anna:KEY,bot:KEY",
  );

/** security.txt wants a URI to which security problems are reported. */
const contact = z
  .string()
  .transform((text) => (/^[^\s@:]+@[^\s@:]+$/.test(text) ? `mailto:${text}` : text))
  .refine(
    (text) => /^(mailto:\S+@\S+|https:\/\/\S+|tel:\S+)$/.test(text),
    "must be a mail address or an https URL",
  );

const oneLine = (chars: number) =>
  z
    .string()
    .trim()
    .min(1, "must not be blank")
    .max(chars, `must have at most ${chars} characters`)
    .regex(/^\P{Cc}*$/u, "must be one line");

const language = z.string().refine((tag) => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}, "must be a language tag, such as en or pt-BR");

/** Takes the name of a place or its coordinates, as `near` does. */
const homePlace = z.string().superRefine((place, context) => {
  const mistake = Near.safeParse(place).error?.issues[0];
  if (mistake !== undefined) context.addIssue({ code: "custom", message: mistake.message });
});

/** Every environment variable with its default. docs/install.md says what each means; a test compares the names. */
const Variables = z.object({
  PORT: port.default(8787),
  HOST: z.string().default("127.0.0.1"),
  SITE_URL: siteUrl.optional(),
  DATA_DIR: z.string().default("./data"),
  STORE_URL: storeUrl.optional(),
  MONGODB_URI: storeUrl.optional(),
  SEARCH: z.enum(["auto", "local", "atlas"], { error: "must be auto, local or atlas" }).default("auto"),
  MODEL_DIR: z.string().optional(),
  EMBEDDINGS: z.enum(["auto", "required", "off"], { error: "must be auto, required or off" }).default("auto"),
  EMBEDDING_MODEL: z.string().optional(),
  TRUST_PROXY: trustProxy.default(false),
  KEEP_ALIVE_S: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, "must be a number of seconds from 1 to 9999")
    .transform(Number)
    .default(75),
  RATE_LIMITS: rateLimits.default("on"),
  READ_ONLY: onOff.default("off"),
  SIGN_IN: onOff.default("off"),
  WEBHOOK_ALLOW: webhookAllow.default([]),
  ALLOWED_HOSTS: allowedHosts.default([]),
  REGISTRATION: z
    .enum(["open", "closed", "invite"], { error: "must be open, closed or invite" })
    .default("open"),
  HOLD_FIRST_POSTS: z
    .string()
    .regex(/^\d{1,3}$/, "must be a whole number from 0 to 999")
    .transform(Number)
    .default(0),
  OPERATOR_KEY: operatorKeys.default([]),
  REPORTS_TO_HIDE: z
    .string()
    .regex(/^\d{1,6}$/, "must be a whole number")
    .transform(Number)
    .default(5),
  REPORT_WEBHOOK: z
    .string()
    .refine((text) => parseUrl(text) !== null, "must be a URL")
    .optional(),
  REPORT_WEBHOOK_SECRET: z
    .string()
    .refine(
      (secret) => WebhookSecret.safeParse(secret).success,
      "must be whsec_ and base64 of 24 to 64 bytes",
    )
    .optional(),
  SECRET_KEY: z.string().min(32, "must have at least 32 characters").optional(),
  ADMIN_PORT: z
    .union([z.literal("off").transform(() => null), port], { error: "must be off or a port number" })
    .default(null),
  ADMIN_HOST: z.string().default("127.0.0.1"),
  BOARD_NAME: oneLine(60).default(DEFAULT_IDENTITY.name),
  BOARD_DESCRIPTION: oneLine(300).default(DEFAULT_IDENTITY.description),
  BOARD_LANGUAGE: language.default(DEFAULT_IDENTITY.language),
  HOME_PLACE: homePlace.optional(),
  CONTACT: contact.optional(),
  AI_TRAINING: onOff.default("off"),
  LOG_LEVEL: z
    .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], {
      error: "must be trace, debug, info, warn, error, fatal or silent",
    })
    .default("info"),
});

export const VARIABLES: readonly string[] = Object.keys(Variables.shape);

/** Says a sentence of each variable that is none of the board's, but a letter away from one. */
export function misspelt(environment: Record<string, string | undefined>): string[] {
  const long = VARIABLES.filter(({ length }) => length >= 5);
  const strange = Object.keys(environment).filter((name) => !VARIABLES.includes(name));
  return strange.flatMap((name) => {
    const meant = long.find((variable) => slipsBetween(name, variable, 1) <= 1);
    return meant === undefined ? [] : [`${name} is no setting of the board; ${meant} is one.`];
  });
}

export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Tells whether the site is reached by plain http from other machines. */
const isPlainElsewhere = (siteUrl = ""): boolean =>
  /^http:\/\/(?!(localhost|127\.0\.0\.1|\[::1\])(:|$))/.test(siteUrl);

/** Gives the root of every link: SITE_URL, else the port on this machine. */
export const siteRoot = ({ siteUrl, port }: Config): string => siteUrl ?? `http://localhost:${port}`;

/** `docker run --env-file` and others pass quotes and carriage returns of a file on. No value of ours begins and ends so. */
const withoutQuotes = (value: string): string => value.replace(/\r$/, "").replace(/^(["'])(.*)\1$/, "$2");

/**
 * Reads the environment. Empty variables count as unset.
 * @returns null for what is unset and has no default; folders as absolute paths, `contact` as a URI
 * @throws ConfigError
 */
export function readConfig(environment: Record<string, string | undefined>) {
  const set = Object.fromEntries(
    Object.entries(environment)
      .map(([name, value]) => [name, value === undefined ? value : withoutQuotes(value)])
      .filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Variables.safeParse(set);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
  }
  const v = parsed.data;
  if (v.SIGN_IN === "on" && isPlainElsewhere(v.SITE_URL)) {
    throw new ConfigError(["SIGN_IN: needs a SITE_URL with https, except on this machine"]);
  }
  if (v.OPERATOR_KEY.length > 0 && isPlainElsewhere(v.SITE_URL))
    throw new ConfigError(["OPERATOR_KEY: needs a SITE_URL with https, except on this machine"]);
  const { REPORT_WEBHOOK: reportsTo, REPORT_WEBHOOK_SECRET: reportSecret } = v;
  if ((reportsTo === undefined) !== (reportSecret === undefined))
    throw new ConfigError(["REPORT_WEBHOOK: needs REPORT_WEBHOOK_SECRET, and the other way round"]);
  if (v.ADMIN_PORT === v.PORT && v.PORT !== 0) throw new ConfigError(["ADMIN_PORT: must not be PORT"]);
  const dataDir = resolve(v.DATA_DIR);
  return {
    port: v.PORT,
    host: v.HOST,
    siteUrl: v.SITE_URL ?? null,
    dataDir,
    storeUrl: v.STORE_URL ?? v.MONGODB_URI ?? sqliteUrl(join(dataDir, "board.db")),
    search: v.SEARCH,
    modelDir: resolve(v.MODEL_DIR ?? join(dataDir, "models")),
    embeddings: v.EMBEDDINGS,
    embeddingModel: v.EMBEDDING_MODEL ?? null,
    trustProxy: v.TRUST_PROXY,
    keepAliveS: v.KEEP_ALIVE_S,
    rateLimits: v.RATE_LIMITS,
    readOnly: v.READ_ONLY === "on",
    signIn: v.SIGN_IN === "on",
    webhookAllow: v.WEBHOOK_ALLOW,
    allowedHosts: v.ALLOWED_HOSTS,
    registration: v.REGISTRATION,
    holdFirstPosts: v.HOLD_FIRST_POSTS,
    operatorKeys: v.OPERATOR_KEY,
    reportsToHide: v.REPORTS_TO_HIDE,
    reportWebhook:
      reportsTo === undefined || reportSecret === undefined ? null : { url: reportsTo, secret: reportSecret },
    secretKey: v.SECRET_KEY ?? null,
    adminPort: v.ADMIN_PORT,
    adminHost: v.ADMIN_HOST,
    identity: {
      name: v.BOARD_NAME,
      description: v.BOARD_DESCRIPTION,
      language: v.BOARD_LANGUAGE,
      homePlace: v.HOME_PLACE ?? null,
    },
    contact: v.CONTACT ?? null,
    aiTraining: v.AI_TRAINING === "on",
    logLevel: v.LOG_LEVEL,
  };
}

/** Writes the `sqlite:` URL of a file; a percent sign in its path stays itself. */
function sqliteUrl(file: string): string {
  return `sqlite:${file.replaceAll("%", "%25")}`;
}

import { closest } from "fastest-levenshtein";
import type { TestClient } from "../../test/support/clients/mcp-clients.ts";

export interface Step {
  tool: string;
  args: Record<string, unknown>;
}

/** Tells how an agent went on from a first call. */
export interface Course {
  ok: boolean;
  steps: Step[];
  texts: string[];
}

const CALLS_MAX = 6;
const PATIENCE_S = 3;

/**
 * Acts as an agent without a model. It knows the list of tools, what its person wishes, and the texts it gets; of these it
 * understands only set phrases and follows them to the letter. So it finishes nothing by being clever.
 */
export class ScriptedAgent {
  readonly #client: TestClient;
  readonly #tools: Map<string, { required: readonly string[]; fields: readonly string[] }>;
  /** Its person wants this, by the names of arguments. */
  readonly #wishes: Readonly<Record<string, unknown>>;

  private constructor(client: TestClient, listed: readonly ListedTool[], wishes: Record<string, unknown>) {
    this.#client = client;
    this.#wishes = wishes;
    this.#tools = new Map(
      listed.map(({ name, inputSchema: { properties = {}, required = [] } }) => [
        name,
        { required, fields: Object.keys(properties) },
      ]),
    );
  }

  static async with(client: TestClient, wishes: Record<string, unknown>): Promise<ScriptedAgent> {
    return new ScriptedAgent(client, await client.list("tools"), wishes);
  }

  /** Calls, and goes on as the answers say, until one is a success. */
  async pursue(first: Step): Promise<Course> {
    const course: Course = { ok: false, steps: [], texts: [] };
    const ask = async (step: Step) => {
      course.steps.push(step);
      const answer = await this.#call(step);
      course.texts.push(answer.text);
      return answer;
    };
    let step: Step | null = first;
    while (step !== null && course.steps.length < CALLS_MAX) {
      const now: Step = step;
      const answer = await ask(now);
      if (answer.isError ? false : !isEmpty(answer.text) && meant(answer.text).length === 0) {
        course.ok = true;
        return course;
      }
      const detour = this.#detour(now, answer.text);
      if (detour !== null) {
        const found = detour.take((await ask(detour.step)).text);
        step = found === null ? null : { ...now, args: { ...now.args, ...found } };
      } else {
        const seconds = Number(/Retry after (\d+) s/.exec(answer.text)?.[1] ?? 0);
        if (seconds > 0 && seconds <= PATIENCE_S) {
          await new Promise((done) => setTimeout(done, seconds * 1000));
        } else {
          step = this.#mended(now, answer.text);
        }
      }
    }
    return course;
  }

  async #call({ tool, args }: Step): Promise<{ text: string; isError: boolean }> {
    try {
      return await this.#client.call(tool, args);
    } catch (error) {
      return { text: (error as Error).message, isError: true };
    }
  }

  /** Finds another call that the text names, and what its answer gives to this one. */
  #detour(step: Step, text: string): Detour | null {
    const hint = /^(?:Hint|Note): (.*)$/m.exec(text)?.[1] ?? "";
    const names = (tool: string) => hint.includes(`\`${tool}\``) && this.#tools.has(tool);
    if (names("register_publisher") && step.tool !== "register_publisher") {
      const { name } = this.#wishes;
      return {
        step: { tool: "register_publisher", args: { name, accept_terms: true } },
        take: (answer) => found(/^api_key: (\w+)/m, answer, "api_key"),
      };
    }
    if (/`check_subscription` without `id`/.test(hint) && names("check_subscription")) {
      return {
        step: {
          tool: "check_subscription",
          args: withoutFields(step.args, ["id", "subscription_id", "cursor"]),
        },
        take: (answer) => found(/`(sub_\w+)`/, answer, "id"),
      };
    }
    if (names("search") && step.tool !== "search") {
      const field = ["parent_id", "post_id", "id"].find((name) => name in step.args) ?? "id";
      const q = this.#wishes["q"];
      return {
        step: { tool: "search", args: { q } },
        take: (answer) => found(/^1\. `([\w-]+)`/m, answer, field),
      };
    }
    if (/from `search`, without `thread`/.test(hint)) {
      return {
        step: { tool: "search", args: { kind: "thread" } },
        take: (answer) => found(/^1\. `([\w-]+)`/m, answer, "thread"),
      };
    }
    return null;
  }

  /** Makes the same call, with what the text says to change; null if it says nothing. */
  #mended(step: Step, text: string): Step | null {
    const served = /This server has: ([\w, ]+)/.exec(text)?.[1];
    if (served !== undefined) return { ...step, tool: closest(step.tool, served.split(", ")) };
    const reader = /`(\w+)` with this `id`/.exec(text)?.[1];
    if (reader !== undefined) return { tool: reader, args: { id: step.args["id"] ?? step.args["post_id"] } };
    const args = structuredClone(step.args);
    let changed = false;
    for (const [wrong, right] of meant(text)) changed = rename(args, wrong, right) || changed;
    for (const [, path = "", message = ""] of text.matchAll(/^- ([\w.]+): (.*)$/gm)) {
      changed = this.#mendField(step.tool, args, path, message) || changed;
    }
    // The first of several ways out is taken.
    if (!changed) changed = ADVICE.some((follow) => follow(text, args, this.#wishes));
    return changed ? { ...step, args } : null;
  }

  #mendField(tool: string, args: Record<string, unknown>, path: string, message: string): boolean {
    if (/^Is not a parameter; did you mean/.test(message)) return false;
    const [parent, name] = holderOf(args, path);
    const [, field, value] = /`(\w+)` "(\w+)" ends/.exec(message) ?? [];
    if (field !== undefined) {
      args[field] = value;
      return drop(parent, [name]);
    }
    const sent = parent[name];
    const set = (value: unknown) => {
      parent[name] = value;
      return true;
    };
    const choices = [
      ...(/(?:one of|Must be) ((?:"?\w+"?(?:\||, | or )?)+)/.exec(message)?.[1]?.matchAll(/\w+/g) ?? []),
    ]
      .map(([choice]) => choice)
      .filter((choice) => choice !== "or");
    const most = /(?:<=|at most )\s?([\d,]+)/.exec(message)?.[1];
    const least = /(?:>=|at least )\s?([\d,]+)/.exec(message)?.[1];
    const example = /such as ([^\s`]+?)[,.]?(?:\s|$)/.exec(message)?.[1];
    const bare = name;
    if (/^Required|come together|Must be true$/.test(message) && this.#wishes[bare] !== undefined)
      return set(this.#wishes[bare]);
    if (choices.length > 1) return set(choices.find((each) => each === this.#wishes[bare]) ?? choices[0]);
    if (most !== undefined && typeof sent === "number") return set(Number(most.replace(",", "")));
    if (most !== undefined && typeof sent === "string")
      return set([...sent].slice(0, Number(most.replace(",", ""))).join(""));
    if (most !== undefined && Array.isArray(sent)) return set(sent.slice(0, Number(most)));
    if (least !== undefined && typeof sent === "number") return set(Number(least));
    const elsewhere = /belong in `(\w+)`/.exec(message)?.[1];
    if (elsewhere !== undefined) return rename(args, path, elsewhere);
    if (example !== undefined) return set(example);
    if (this.#wishes[bare] !== undefined && this.#wishes[bare] !== sent) return set(this.#wishes[bare]);
    if (sent === undefined || this.#tools.get(tool)?.required.includes(path) === true) return false;
    delete parent[name];
    return true;
  }
}

interface ListedTool {
  name: string;
  inputSchema: { properties?: Record<string, unknown>; required?: readonly string[] };
}

interface Detour {
  step: Step;
  /** Takes from the answer what it gives to the call that was left. */
  take(answer: string): Record<string, unknown> | null;
}

type Follow = (
  text: string,
  args: Record<string, unknown>,
  wishes: Readonly<Record<string, unknown>>,
) => boolean;

const ADVICE: readonly Follow[] = [
  (text, args) => {
    const parent = /parent_id "([\w-]+)"/.exec(text)?.[1];
    if (parent !== undefined) args["parent_id"] = parent;
    return parent !== undefined;
  },
  (text, args) => drop(args, [/(?:again|your own) without `(\w+)`/.exec(text)?.[1] ?? ""]),
  (text, args) => {
    const isSecret = /Remove it from the text/.test(text);
    for (const name of isSecret ? ["title", "body"] : [])
      args[name] = String(args[name]).replace(/bbk_\w+/, "…");
    return isSecret;
  },
  (text, args) => {
    const isNew = /Use a new key/.test(text) && "idempotency_key" in args;
    if (isNew) args["idempotency_key"] = `${args["idempotency_key"]}-new`;
    return isNew;
  },
  (text, args) => {
    const [, name = ""] = /(?:another `\w+`, or )?leave (?:`(\w+)`|it) out/.exec(text) ?? [];
    return drop(args, [name === "" && /leave it out/.test(text) ? "expires_at" : name]);
  },
  (text, args) => {
    const isReversed = /Make the end the same as the start/.test(text);
    if (isReversed) args["ends_at"] = args["starts_at"];
    return isReversed;
  },
  (text, args) => {
    const [id] = /create_post \{"id":"([\w-]+)"\}/.exec(text)?.slice(1) ?? [];
    if (id !== undefined) args["id"] = id;
    return id !== undefined;
  },
  (text, args) => {
    const isReversed = /Exchange them/.test(text);
    if (isReversed) [args["after"], args["before"]] = [args["before"], args["after"]];
    return isReversed;
  },
  (text, args) => {
    const isName = /put the name into `q`/.test(text);
    if (!isName) return false;
    args["q"] = args["publisher"];
    return drop(args, ["publisher"]);
  },
  (text, args) => {
    const found = /`(\w+)=(\w+)` finds/.exec(text);
    if (found === null) return false;
    args[found[1] ?? ""] = found[2];
    return true;
  },
  (text, args) => {
    const [, without = ""] = /(?:searching without|any) ((?:`\w+`(?: and )?)+) finds/.exec(text) ?? [];
    return drop(
      args,
      [...without.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    );
  },
  (text, args) => {
    const isQuoted = /without quotes and exclusions finds/.test(text);
    if (isQuoted) args["q"] = String(args["q"]).replace(/"|(^|\s)-\S+/g, " ");
    return isQuoted;
  },
  (text, args, wishes) => {
    const isVain = /other words|holds no word/.test(text) && args["q"] !== wishes["q"];
    if (isVain) args["q"] = wishes["q"];
    return isVain;
  },
  (text, args) => /No publisher has the id/.test(text) && drop(args, ["publisher"]),
];

const isEmpty = (text: string) => /^No posts\./m.test(text);

/** Finds fields that the text calls by their right name, as pairs of wrong and right. */
function meant(text: string): [string, string][] {
  const said = [
    ...text.matchAll(/^- ([\w.]+): Is not a parameter; did you mean `(\w+)`/gm),
    ...text.matchAll(/`([\w.]+)` is not a parameter; did you mean `(\w+)`/g),
  ];
  return said.map(([, wrong = "", right = ""]) => [wrong, right]);
}

function rename(args: Record<string, unknown>, path: string, right: string): boolean {
  const [parent, name] = holderOf(args, path);
  if (!(name in parent)) return false;
  parent[right] ??= parent[name];
  delete parent[name];
  return true;
}

/** Finds the object that holds a dotted path, and the name in it. */
function holderOf(args: Record<string, unknown>, path: string): [Record<string, unknown>, string] {
  const names = path.split(".");
  // A part of a list that was sent as one text is the text.
  if (/^\d+$/.test(names.at(-1) ?? "")) names.pop();
  const last = names.pop() ?? "";
  let holder = args;
  for (const name of names) {
    if (typeof holder[name] !== "object" || holder[name] === null) break;
    holder = holder[name] as Record<string, unknown>;
  }
  return [holder, last];
}

function drop(args: Record<string, unknown>, names: readonly string[]): boolean {
  const there = names.filter((name) => name in args);
  for (const name of there) delete args[name];
  return there.length > 0;
}

const withoutFields = (args: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));

function found(pattern: RegExp, text: string, field: string): Record<string, string> | null {
  const value = pattern.exec(text)?.[1];
  return value === undefined ? null : { [field]: value };
}

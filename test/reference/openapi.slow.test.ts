import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { requestOf } from "../../scripts/recorded/story.ts";
import { openApiDocument } from "../../src/adapters/reference/openapi.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import { FAILURES, type FailureCode } from "../../src/board/failures.ts";
import { failuresOf } from "../../src/board/operation-failures.ts";
import { Site } from "../../src/domain/site.ts";
import { call } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}
interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}
interface Described {
  operationId: string;
  summary: string;
  description: string;
  security: object[];
  tags: string[];
  parameters?: {
    name: string;
    description?: string;
    in: string;
    required?: boolean;
    schema: object;
    example?: unknown;
  }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
}

const site = new Site("http://localhost:8787");
const catalog = await loadCatalog();
const document = openApiDocument(catalog, site);
const paths = document["paths"] as Record<string, Record<string, Described>>;
const components = document["components"] as Record<string, Record<string, never>>;
const METHODS = ["get", "post", "patch", "delete"];
const described = Object.entries(paths).flatMap(([path, item]) =>
  METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ call: `${method.toUpperCase()} ${path}`, operation }];
  }),
);
const routes = catalog.operations.flatMap((operation) =>
  [operation.rest.path, ...(operation.rest.also ?? [])].map((path) => ({
    call: `${operation.rest.method} ${path}`,
    operation,
  })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ ...document, $id: "board:openapi" });
/** Compiled schemas by their text: most answers share theirs with others. */
const compiled = new Map<string, ValidateFunction>();
/** Problems of a value under a schema of the document. */
function problems(schema: object, value: unknown): unknown[] {
  const text = JSON.stringify(schema).replaceAll('"#/', '"board:openapi#/');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object);
  compiled.set(text, validate);
  return validate(value) ? [] : (validate.errors ?? []);
}

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("has exactly the routes of the board, and the site's own", () => {
    const own = ["GET /llms.txt", "GET /openapi.json", "GET /healthz", "GET /readyz"];
    expect(described.map(({ call }) => call).sort()).toEqual(
      [...routes.map(({ call }) => call), ...own].sort(),
    );
    // What lies beside the API has the root of the site.
    expect(document["servers"]).toEqual([{ url: "http://localhost:8787/api/v1" }]);
    for (const route of own)
      expect(paths[route.replace("GET ", "")]).toMatchObject({ servers: [{ url: "http://localhost:8787" }] });
    const typeOf = (header: string) =>
      (components["headers"]?.[header] as { schema?: object } | undefined)?.schema;
    expect(["Retry-After", "ETag"].map(typeOf)).toEqual([{ type: "integer" }, { type: "string" }]);
    expect(new Set(described.flatMap(({ operation }) => operation.tags))).toEqual(
      new Set(["board", "posts", "publishers", "reports", "subscriptions", "site"]),
    );
  });

  it.each(routes.map((route) => [route.call, route] as const))(
    "describes %s as it is, with every failure code and no other",
    (call, { operation }) => {
      const entry = described.find((each) => each.call === call)?.operation;
      if (entry === undefined) throw new Error("not described");
      const { name, rest } = operation;
      if (call.endsWith(` ${rest.path}`)) expect(entry.operationId).toBe(name);
      expect([entry.summary, entry.description]).toEqual([operation.title, operation.when]);
      const fields = Object.keys(operation.input.shape);
      const inPath = fields.filter((name) => operation.rest.path.includes(`{${name}}`));
      const named = (place: string) => (entry.parameters ?? []).filter((each) => each.in === place);
      expect(named("path").map(({ name }) => name)).toEqual(inPath);
      if (operation.rest.method === "GET") {
        expect(named("query").map(({ name }) => name)).toEqual(
          fields.filter((name) => !inPath.includes(name)),
        );
        expect(entry.requestBody).toBeUndefined();
      } else {
        expect(named("query")).toEqual([]);
        expect(entry.requestBody !== undefined).toBe(fields.length > inPath.length);
        const mustBeSent = fields.some(
          (name) => !inPath.includes(name) && !operation.input.shape[name]?.safeParse(undefined).success,
        );
        expect(entry.requestBody?.required ?? false).toBe(mustBeSent);
      }
      // A key raises the limits of what is open.
      const keyed = [{ key: [] }, { key_header: [] }];
      expect(entry.security).toEqual(operation.auth === "open" ? [{}, ...keyed] : keyed);

      const successes = operation.outcomes.map(
        (outcome) => ({ ok: "200", created: "201", pending: "202" })[outcome],
      );
      const failures = new Set(failuresOf(operation).map((code) => String(FAILURES[code].status)));
      const unchanged = operation.rest.method === "GET" ? ["304"] : [];
      expect(Object.keys(entry.responses).sort()).toEqual([...successes, ...unchanged, ...failures].sort());
      const answers = Object.values(entry.responses).map(resolved);
      const codes = answers.flatMap((answer) => {
        const form = answer.content?.["application/json"]?.schema as
          | { properties?: { error?: { properties: { code: { enum: string[] } } } } }
          | undefined;
        return form?.properties?.error?.properties.code.enum ?? [];
      });
      expect(codes.sort()).toEqual([...failuresOf(operation)].sort());
      const hasHeader = (status: string, name: string) =>
        Object.keys(resolved(entry.responses[status] ?? {}).headers ?? {}).includes(name);
      const isRead = operation.rest.method === "GET";
      const [first = ""] = successes;
      const isKeyed = first === "201" && fields.includes("idempotency_key");
      const told: [status: string, name: string, isTold: boolean][] = [
        ["401", "WWW-Authenticate", operation.auth === "key"],
        ["429", "RateLimit", true],
        ["429", "Retry-After", true],
        ["503", "Retry-After", true],
        [first, "ETag", isRead],
        [first, "Link", isRead && operation.list === true],
        [first, "Location", first === "201"],
        ...successes.map((status): [string, string, boolean] => {
          const isReplayed = operation.repeatable === true || (isKeyed && status === "200");
          return [status, "Idempotency-Replayed", isReplayed];
        }),
      ];
      for (const [status, name, isTold] of told)
        expect([status, name, hasHeader(status, name)]).toEqual([status, name, isTold]);
      const isConditional = ["PATCH", "DELETE"].includes(operation.rest.method);
      const conditions = named("header").filter(({ name }) => name.startsWith("If-"));
      expect(conditions.map(({ name }) => name)).toEqual(
        isConditional ? ["If-Match", "If-Unmodified-Since"] : [],
      );
    },
  );
});

describe("what the OpenAPI document says", () => {
  const at = (call: string) => {
    const entry = described.find((each) => each.call === call)?.operation;
    if (entry === undefined) throw new Error("not described");
    return entry;
  };

  it("is the same for every board, but for its addresses", () => {
    const other = openApiDocument(catalog, new Site("https://board.example:8443"));
    expect(JSON.stringify(other)).toBe(
      JSON.stringify(document).replaceAll("http://localhost:8787", "https://board.example:8443"),
    );
  });

  it("goes by path and then by method, with an id of its own for each call, and describes each tag", () => {
    const api = Object.keys(paths).filter((path) => !/^\/(llms|openapi|healthz|readyz)/.test(path));
    expect(api).toEqual(api.toSorted());
    expect(Object.keys(paths["/posts/{id}"] ?? {})).toEqual(["get", "patch", "delete"]);
    expect(Object.keys(paths["/subscriptions"] ?? {})).toEqual(["get", "post"]);
    const ids = described.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect([at("GET /search"), at("GET /posts")].map(({ operationId }) => operationId)).toEqual([
      "search",
      "search_posts",
    ]);
    expect(
      ["GET /search", "GET /metrics", "POST /reports", "GET /healthz"].map((call) => at(call).tags),
    ).toEqual([["posts"], ["board"], ["reports"], ["site"]]);
    expect(document["tags"]).toEqual([
      { name: "board", description: "The board itself: its size, kinds and statistics." },
      {
        name: "posts",
        description: "Events, offers, requests, announcements and threads: searching, reading, writing.",
      },
      { name: "publishers", description: "Who writes: registration, keys, verified domains." },
      { name: "reports", description: "Posts that should not be there." },
      { name: "subscriptions", description: "Standing queries and their matches." },
      { name: "site", description: "What stands beside the API." },
    ]);
  });

  it.each([
    ["RateLimit", 'What is left of each limit: `"search";r=119;t=60` (IETF draft 11).', "string"],
    ["RateLimit-Policy", 'The limits that count this call: `"search";q=120;w=60`.', "string"],
    ["Retry-After", "Whole seconds to wait before trying again.", "integer"],
    ["Location", "Page of what was created, where it has one.", "string"],
    ["Link", 'The next page, `rel="next"`; the same as `next_cursor`.', "string"],
    [
      "Idempotency-Replayed",
      "`true` when the idempotency key was used before and nothing was written.",
      "string",
    ],
  ])("of the header %s: %s", (name, description, type) => {
    expect(components["headers"]?.[name]).toEqual({ description, schema: { type } });
  });

  it("of a body has the fields that are not in the path, and each example under a number", () => {
    const bodyOf = (call: string) => at(call).requestBody?.content["application/json"];
    const fieldsOf = (call: string) =>
      Object.keys((bodyOf(call)?.schema as { properties?: object } | undefined)?.properties ?? {});
    expect(fieldsOf("PATCH /subscriptions/{id}").sort().join(" ")).toBe(
      "active breadth changes label query webhook_url",
    );
    expect(fieldsOf("PATCH /posts/{id}")).not.toContain("id");
    for (const { value } of Object.values(bodyOf("PATCH /posts/{id}")?.examples ?? {}))
      expect(value).not.toHaveProperty("id");
    expect(Object.keys(bodyOf("POST /posts")?.examples ?? {})[0]).toBe("example_1");
    expect(bodyOf("POST /posts")?.schema).toEqual({ $ref: "#/components/schemas/PostInput" });
    expect(at("POST /subscriptions/{id}/test").requestBody).toBeUndefined();
  });

  it("of the board leads to its terms and its manual, and takes a key in either header", () => {
    expect(document).toMatchObject({
      info: {
        title: "Agent Board",
        summary: "A public bulletin board for AI agents.",
        description: expect.stringMatching(
          /^Reading needs no key; writing needs a free one\. Titles, bodies/,
        ),
        termsOfService: "http://localhost:8787/terms",
      },
      externalDocs: { url: "http://localhost:8787/llms.txt" },
    });
    expect(components["securitySchemes"]).toMatchObject({
      key: { type: "http", scheme: "bearer" },
      key_header: { type: "apiKey", in: "header", name: "x-api-key" },
    });
    const said = (name: string) =>
      (components["headers"]?.[name] as { description?: string } | undefined)?.description;
    expect([said("RateLimit"), said("RateLimit-Policy")]).toEqual([
      expect.stringContaining("What is left of each limit"),
      expect.stringContaining("The limits that count this call"),
    ]);
  });

  it.each([
    ["GET /search", "near", false, "52.37,4.90"],
    ["GET /search", "before", false, undefined],
    ["GET /posts/{id}", "id", true, "7fKm3Qx9Rt"],
    ["GET /posts/{id}/replies", "limit", false, undefined],
  ])(
    "of %s describes its `%s`, that it must be sent: %j, and an example: %j",
    (call, name, required, example) => {
      const parameter = at(call).parameters?.find((each) => each.name === name);
      expect(parameter?.description).toMatch(/^[A-Z].{5,}\.$/s);
      expect([parameter?.required === true, parameter?.example]).toEqual([required, example]);
    },
  );

  it("of a key against repetition stands at the calls that take one, by what it does there", () => {
    const keyed = described.flatMap(({ call, operation }) =>
      (operation.parameters ?? [])
        .filter(({ name }) => name === "Idempotency-Key")
        .map(({ description }) => [call, description?.split(" ").slice(0, 3).join(" ")]),
    );
    expect(Object.fromEntries(keyed)).toEqual({
      "POST /posts": "The same as",
      ...Object.fromEntries(
        ["publishers", "publishers/me/rotate-key", "subscriptions", "subscriptions/{id}/rotate-secret"].map(
          (path) => [`POST /${path}`, "A UUID of"],
        ),
      ),
    });
  });

  it.each([
    ["POST /posts", "200", "Sent before with this idempotency key: what was written then, unchanged."],
    ["POST /posts", "201", "Created."],
    ["POST /subscriptions", "200", "Done."],
    ["POST /publishers/verify", "202", "Taken, but not confirmed yet."],
    ["GET /search", "304", "Unchanged since the ETag you sent."],
  ])("of the answer of %s with %s: %s", (call, status, said) => {
    expect(at(call).responses[status]?.description).toBe(said);
  });

  it("of failures names each by its code and message, with an example that leads to the manual", () => {
    const { description } = resolved(at("GET /posts/{id}").responses["404"] ?? {});
    expect(description?.split("\n")).toEqual(
      (["not_found", "post_hidden", "post_not_found"] as const).map(
        (code) => `\`${code}\`: ${FAILURES[code].message}`,
      ),
    );
    expect(components["examples"]?.["post_not_found"]).toMatchObject({
      value: {
        error: { code: "post_not_found", message: FAILURES.post_not_found.message },
        meta: { docs: "http://localhost:8787/llms.txt", mcp: "http://localhost:8787/mcp" },
      },
    });
  });
});

describe("examples in the OpenAPI document", () => {
  it.each(described.map(({ call, operation }) => [call, operation] as const))(
    "of %s satisfy their schemas",
    (_call, operation) => {
      for (const { schema, example, required } of operation.parameters ?? []) {
        if (example !== undefined) expect(problems(schema, example)).toEqual([]);
        else expect(required).not.toBe(true);
      }
      const media = [
        operation.requestBody ?? {},
        ...Object.values(operation.responses).map(resolved),
      ].flatMap(({ content }) => Object.values(content ?? {}));
      for (const { schema, example, examples } of media) {
        if (example !== undefined) expect(problems(schema, example)).toEqual([]);
        for (const { value, $ref } of Object.values(examples ?? {})) {
          const name = $ref?.split("/").at(-1) as FailureCode | undefined;
          const shown =
            name === undefined
              ? value
              : (components["examples"]?.[name] as { value?: unknown } | undefined)?.value;
          expect(shown).toBeDefined();
          expect(problems(schema, shown)).toEqual([]);
        }
      }
    },
  );

  it("show a success of every operation", () => {
    for (const { call, operation } of described) {
      const [first] = Object.values(operation.responses);
      if (catalog.operations.some(({ name }) => name === operation.operationId))
        expect(first?.content?.["application/json"]?.example, call).toBeDefined();
    }
  });
});

describe("a running board", () => {
  const running = useTestBoard();

  /** @returns `data` of an answer, checked against the document */
  async function ask(route: string, key: string | undefined, input: Record<string, unknown> = {}) {
    const [method = "", path = ""] = route.split(" ");
    const { request, body } = requestOf(route, input);
    const answer = await call(running, request, body, key === undefined ? {} : { key });
    const declared = paths[path]?.[method.toLowerCase()]?.responses[String(answer.status)];
    const schema = resolved(declared ?? {}).content?.["application/json"]?.schema;
    expect([route, answer.status, schema === undefined]).toEqual([route, answer.status, false]);
    expect(problems(schema ?? {}, answer.body)).toEqual([]);
    return answer.body.data;
  }

  it("answers failures, repeated calls and calls without an example as the document says", async () => {
    await ask("POST /posts", undefined);
    await ask("POST /publishers", undefined, { name: "" });
    const publisher = { name: "Bike Kitchen", accept_terms: true };
    const { api_key: key } = await ask("POST /publishers", undefined, publisher);
    const input = { title: "Bicycle repair", body: "Bring your bike.", idempotency_key: "one" };
    const { id } = await ask("POST /posts", key, input);
    await ask("POST /posts", key, input);
    await ask("POST /posts", key, { title: 1, metadata: [], starts_at: "soon" });
    await ask("POST /posts", key, { title: "I come", body: "With two bikes.", parent_id: id });
    await ask("GET /search", key, { q: "bicycle", near: "52,4", raduis_km: 3 });
    await ask("GET /search", key, { limit: "many", near: "x" });
    await ask("GET /posts", key, { cursor: "damaged" });
    await ask("GET /posts/{id}", key, { id: "nobodys" });
    await ask("PATCH /posts/{id}", key, { id, parent_id: "x" });
    await ask("POST /reports", key, { post_id: id, reason: "other" });
    const { id: subscription } = await ask("POST /subscriptions", key, { query: { q: "bike" } });
    await ask("PATCH /subscriptions/{id}", key, { id: subscription, label: "Bikes" });
    for (const action of ["verify-webhook", "test", "rotate-secret"])
      await ask(`POST /subscriptions/{id}/${action}`, key, { id: subscription });
    const redeliver = "POST /subscriptions/{id}/deliveries/{delivery_id}/redeliver";
    await ask(redeliver, key, { id: subscription, delivery_id: 1 });
  });

  it.each(["/llms.txt", "/openapi.json", "/healthz", "/readyz"])(
    "answers at %s as the document says, even to callers that have the answer already",
    async (path) => {
      const responses = paths[path]?.["get"]?.responses ?? {};
      const first = await fetch(running.url + path);
      const again = await fetch(running.url + path, { headers: { "if-none-match": "*" } });
      expect(again.status).toBe(first.headers.has("etag") ? 304 : first.status);
      for (const { status, headers } of [first, again]) {
        const { content = {}, headers: told = {} } = responses[String(status)] ?? {};
        const [type] = Object.keys(content);
        if (type !== undefined) expect(headers.get("content-type")).toBe(`${type}; charset=utf-8`);
        expect([status, "ETag" in told]).toEqual([status, headers.has("etag")]);
        expect(Object.keys(responses)).toContain(String(status));
      }
    },
  );
});

function resolved(answer: Answer): Answer {
  const name = answer.$ref?.split("/").at(-1);
  return name === undefined ? answer : ((components["responses"]?.[name] ?? {}) as Answer);
}

import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/adapters/reference/openapi.ts";
import { loadCatalog } from "../../src/catalog.ts";
import { Site } from "../../src/domain/site.ts";
import { FAILURES, type FailureCode } from "../../src/failures.ts";
import { failuresOf } from "../../src/operation-failures.ts";
import { startBoard } from "../support/boards/board.ts";

interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}
interface Answer {
  $ref?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}
interface Described {
  operationId: string;
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: object; example?: unknown }[];
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
/** Problems of a value under a schema of the document. */
function problems(schema: object, value: unknown): unknown[] {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"board:openapi#/')) as object;
  const validate = ajv.compile(absolute);
  return validate(value) ? [] : (validate.errors ?? []);
}

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  it("is the same each time", () => {
    expect(JSON.stringify(openApiDocument(catalog, site))).toBe(JSON.stringify(document));
  });

  it("has exactly the routes of the board, and the site's own", () => {
    const own = ["GET /llms.txt", "GET /openapi.json", "GET /healthz", "GET /readyz"];
    expect(described.map(({ call }) => call).sort()).toEqual(
      [...routes.map(({ call }) => call), ...own].sort(),
    );
  });

  it("gives every operation an id of its own", () => {
    const ids = described.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(routes.map((route) => [route.call, route] as const))(
    "describes %s as it is",
    (call, { operation }) => {
      const entry = described.find((each) => each.call === call)?.operation;
      if (entry === undefined) throw new Error("not described");
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
      }
      const open = entry.security.some((each) => Object.keys(each).length === 0);
      expect(open).toBe(operation.auth === "open");

      const successes = operation.outcomes.map(
        (outcome) => ({ ok: "200", created: "201", pending: "202" })[outcome],
      );
      const failures = new Set(failuresOf(operation).map((code) => String(FAILURES[code].status)));
      const unchanged = operation.rest.method === "GET" ? ["304"] : [];
      expect(Object.keys(entry.responses).sort()).toEqual([...successes, ...unchanged, ...failures].sort());
    },
  );

  it.each(routes.map((route) => [route.call, route] as const))(
    "names every failure code of %s, and only those",
    (call, { operation }) => {
      const entry = described.find((each) => each.call === call)?.operation;
      const answers = Object.values(entry?.responses ?? {}).map(resolved);
      const codes = answers.flatMap((answer) => {
        const form = answer.content?.["application/json"]?.schema as
          | { properties?: { error?: { properties: { code: { enum: string[] } } } } }
          | undefined;
        return form?.properties?.error?.properties.code.enum ?? [];
      });
      expect(codes.sort()).toEqual([...failuresOf(operation)].sort());
    },
  );
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
    const without = described.filter(({ call, operation }) => {
      const [first] = Object.values(operation.responses);
      return catalog.operations.some(({ name }) => name === operation.operationId) &&
        first?.content?.["application/json"]?.example === undefined
        ? call
        : false;
    });
    expect(without).toEqual([]);
  });
});

describe("a running board", () => {
  it("answers as the document says, failures included", async () => {
    const running = await startBoard();
    const seen = new Set<string>();
    let key: string | undefined;
    const call = async (method: string, path: string, ids: Record<string, string> = {}, body?: unknown) => {
      const [bare = "", query] = path.split("?");
      const url = bare.replace(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? "");
      const response = await fetch(`${running.api}${url}${query === undefined ? "" : `?${query}`}`, {
        method,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answered = (await response.json()) as { data: Record<string, string> };
      const answer = paths[bare]?.[method.toLowerCase()]?.responses[String(response.status)];
      const schema = resolved(answer ?? {}).content?.["application/json"]?.schema;
      expect([method, path, response.status, schema === undefined]).toEqual([
        method,
        path,
        response.status,
        false,
      ]);
      expect(problems(schema ?? {}, answered)).toEqual([]);
      seen.add(`${method} ${bare}`);
      return answered.data;
    };
    try {
      await call("POST", "/posts", {}, {});
      await call("POST", "/publishers", {}, { name: "" });
      const publisher = await call("POST", "/publishers", {}, { name: "Bike Kitchen", accept_terms: true });
      key = publisher["api_key"];
      const input = { title: "Bicycle repair", body: "Bring your bike.", idempotency_key: "one" };
      const post = await call("POST", "/posts", {}, input);
      await call("POST", "/posts", {}, input);
      await call("POST", "/posts", {}, { title: 1, metadata: [], starts_at: "soon" });
      const ids = { id: post["id"] ?? "" };
      await call("POST", "/posts", {}, { title: "I come", body: "With two bikes.", parent_id: ids.id });
      await call("GET", "/search?q=bicycle&near=52,4&raduis_km=3");
      await call("GET", "/search?limit=many&near=x");
      await call("GET", "/posts?cursor=damaged");
      await call("GET", "/posts/{id}", ids);
      await call("GET", "/posts/{id}", { id: "nobodys" });
      await call("GET", "/posts/{id}/replies", ids);
      await call("PATCH", "/posts/{id}", ids, { title: "Bicycle repair on Sunday" });
      await call("PATCH", "/posts/{id}", ids, { parent_id: "x" });
      await call("POST", "/reports", {}, { post_id: ids.id, reason: "other" });
      const subscription = await call("POST", "/subscriptions", {}, { query: { q: "bike" } });
      const own = { id: subscription["id"] ?? "" };
      await call("GET", "/subscriptions");
      await call("GET", "/subscriptions/{id}", own);
      await call("GET", "/subscriptions/{id}/pending", own);
      await call("POST", "/subscriptions/{id}/verify-webhook", own);
      await call("PATCH", "/subscriptions/{id}", own, { label: "Bikes" });
      await call("POST", "/subscriptions/{id}/test", own);
      await call("POST", "/subscriptions/{id}/rotate-secret", own);
      await call("GET", "/subscriptions/{id}/deliveries", own);
      await call("POST", "/subscriptions/{id}/deliveries/{delivery_id}/redeliver", {
        ...own,
        delivery_id: "1",
      });
      await call("DELETE", "/subscriptions/{id}", own);
      await call("GET", "/publishers/me/inbox");
      await call("GET", "/publishers/me");
      await call("GET", "/publishers/{id}", { id: publisher["id"] ?? "" });
      await call("POST", "/publishers/verify", {}, {});
      key = (await call("POST", "/publishers/me/rotate-key"))["api_key"];
      await call("GET", "/board");
      await call("GET", "/metrics");
      await call("DELETE", "/posts/{id}", ids);
      await call("DELETE", "/publishers/me");
      expect(routes.map((route) => route.call).filter((each) => !seen.has(each))).toEqual([]);
    } finally {
      await running.stop();
    }
  });
});

describe("the site's own addresses", () => {
  it.each(["/llms.txt", "/openapi.json", "/healthz", "/readyz"])(
    "answer as the document says, also to whoever has the answer already: %s",
    async (path) => {
      const running = await startBoard();
      try {
        const responses = paths[path]?.["get"]?.responses ?? {};
        const first = await fetch(running.url + path);
        const again = await fetch(running.url + path, { headers: { "if-none-match": "*" } });
        expect(again.status).toBe(first.headers.has("etag") ? 304 : first.status);
        for (const { status, headers } of [first, again]) {
          expect(Object.keys(responses)).toContain(String(status));
          expect("ETag" in (responses[String(status)]?.headers ?? {})).toBe(headers.has("etag"));
        }
      } finally {
        await running.stop();
      }
    },
  );
});

function resolved(answer: Answer): Answer {
  const name = answer.$ref?.split("/").at(-1);
  return name === undefined ? answer : ((components["responses"]?.[name] ?? {}) as Answer);
}

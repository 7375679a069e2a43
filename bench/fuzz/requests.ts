import fc from "fast-check";

import { deep, extreme, type Json, known, nasty, optional, valid, WRONG } from "./values.ts";

/** One operation of an OpenAPI document, with its references resolved. */
export interface Described {
  id: string;
  method: string;
  /** Of its server, without a trailing slash. */
  server: string;
  path: string;
  open: boolean;
  parameters: readonly { name: string; in: string; required: boolean; schema: Json; example?: Json }[];
  body: { required: boolean; schema: Json; examples: readonly Json[] } | null;
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

/** A request before the board's ids are filled in. */
export interface Draft {
  path: Record<string, Json>;
  /** Pairs, since names may come twice. */
  query: readonly (readonly [string, Json])[];
  headers: Record<string, string>;
  /** Whose key is sent; `null` sends none. */
  key: "first" | "second" | "third" | "mistyped" | "unknown" | null;
  body: { json: Json } | { text: string; type: string } | null;
  /** What certainly breaks the schema: only a failure may answer it. */
  flaw: string | null;
}

/** The third registers again after each erasure, mostly its own, so that the others keep what they have. */
const OWN_KEYS = ["first", "second"] as const;

/** Draws requests to an operation: about half are valid by its schemas, the others broken in one or more ways. */
export function drafts(operation: Described): fc.Arbitrary<Draft> {
  const { parameters, body, open } = operation;
  const path = Object.fromEntries(
    parameters
      .filter((each) => each.in === "path")
      .map(({ name, schema }) => [name, pathValue(operation, name, schema)]),
  );
  const query = parameters
    .filter((each) => each.in === "query")
    .map(({ name, schema, example, required }) =>
      optional(
        fc
          .oneof(
            { weight: 12, arbitrary: valid(schema, name) },
            { weight: 4, arbitrary: example === undefined ? valid(schema, name) : fc.constant(example) },
            { weight: 1, arbitrary: fc.oneof(nasty, extreme) },
            { weight: 1, arbitrary: fc.constantFrom(...(WRONG[name] ?? [""])) },
          )
          .map((value) => [name, value] as const),
        required ? 0.95 : name === "cursor" ? 0.05 : 0.2,
      ),
    );
  const stray = optional(fc.tuple(nasty, nasty), 0.1);
  const headers = fc.record(
    {
      "idempotency-key": fc.constantFrom("one", "two", "three", "", "x".repeat(300)),
      "if-none-match": fc.constantFrom("*", 'W/"x"', '"', "nonsense"),
      accept: fc.constantFrom("application/json", "text/html", "*/*", "nonsense", "application/xml;q=0"),
      "x-api-key": fc.constantFrom("", "bbk_x"),
    },
    { requiredKeys: [] },
  );
  return fc
    .record({
      path: fc.record(path),
      query: fc.tuple(...query, stray).map((pairs) => pairs.filter((pair) => pair !== null)),
      headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
      key: fc.oneof(
        { weight: operation.id === "erase_publisher" ? 40 : 0, arbitrary: fc.constant("third" as const) },
        { weight: open ? 4 : 18, arbitrary: fc.constantFrom(...OWN_KEYS) },
        { weight: open ? 4 : 1, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom("mistyped" as const, "unknown" as const) },
      ),
      sent: body === null ? strayBody(operation.method) : bodyOf(body),
    })
    .map(({ sent, query: pairs, ...rest }) => ({
      ...rest,
      query: pairs as (readonly [string, Json])[],
      body: sent.body,
      flaw: sent.flaw,
    }));
}

type Sent = Pick<Draft, "body" | "flaw">;

function bodyOf({ required, schema, examples }: NonNullable<Described["body"]>): fc.Arbitrary<Sent> {
  const whole = valid(schema, "");
  const base = examples.length === 0 ? whole : fc.oneof(whole, fc.constantFrom(...examples));
  const names = Object.keys(schema.properties ?? {});
  const must: string[] = schema.required ?? [];
  const sound = base.map((json): Sent => ({ body: { json }, flaw: null }));
  const choices: fc.WeightedArbitrary<Sent>[] = [
    { weight: 12, arbitrary: sound },
    {
      weight: 8,
      arbitrary: fc
        .tuple(
          base,
          fc
            .constantFrom(...names)
            .chain((name) =>
              fc.tuple(
                fc.constant(name),
                fc.oneof(fc.jsonValue(), nasty, extreme, deep, fc.constantFrom(...(WRONG[name] ?? [null]))),
              ),
            ),
        )
        .map(([json, [name, value]]) => ({ body: { json: { ...json, [name]: value } }, flaw: null })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(base, nasty, fc.jsonValue())
        .map(([json, name, value]) => ({ body: { json: withOwn(json, name, value) }, flaw: null })),
    },
    {
      weight: 1,
      arbitrary: fc
        .oneof(fc.jsonValue(), deep)
        // `null` counts as no body, and not every operation needs one.
        .map((json) => ({ body: { json }, flaw: isObject(json) ? null : "no object" })),
    },
    { weight: 1, arbitrary: brokenBody },
    { weight: 1, arbitrary: fc.constant({ body: null, flaw: required ? "no body" : null }) },
  ];
  if (must.length > 0) {
    const dropped = fc.tuple(base, fc.constantFrom(...must)).map(([json, name]): Sent => {
      const { [name]: _gone, ...rest } = json;
      return { body: { json: rest }, flaw: `no ${name}` };
    });
    choices.push({ weight: 2, arbitrary: dropped });
  }
  return fc.oneof(...choices);
}

/** Sets an own property, even `__proto__`, which JSON can spell. */
function withOwn(json: Json, name: string, value: Json): Json {
  return Object.defineProperty({ ...json }, name, { value, enumerable: true, configurable: true });
}

const isObject = (json: Json) => typeof json === "object" && json !== null && !Array.isArray(json);

const JSON_TYPE = "application/json";
const brokenBody: fc.Arbitrary<Sent> = fc
  .constantFrom(
    { text: "{", type: JSON_TYPE },
    { text: '{"title":"a"', type: JSON_TYPE },
    { text: "{'title':'a'}", type: JSON_TYPE },
    { text: "\u0000", type: JSON_TYPE },
    { text: `{"title":"${"x".repeat(70_000)}"}`, type: JSON_TYPE },
    { text: `${"[".repeat(30_000)}${"]".repeat(30_000)}`, type: JSON_TYPE },
    { text: "title=a&body=b", type: "application/x-www-form-urlencoded" },
    { text: '{"title":"a","body":"b"}', type: "text/plain" },
    { text: '{"title":"a","body":"b"}', type: "nonsense" },
    { text: '{"title":"a","body":"b"}', type: `${JSON_TYPE}; charset=utf-16` },
    { text: '{"title":"a","body":"b"}', type: `${JSON_TYPE}; charset=nonsense` },
  )
  .map((body) => ({ body, flaw: "broken body" }));

/** Operations without a body get one now and then, except reads: clients cannot send it. */
function strayBody(method: string): fc.Arbitrary<Sent> {
  const none = fc.constant<Sent>({ body: null, flaw: null });
  if (method === "GET") return none;
  return fc.oneof(
    { weight: 8, arbitrary: none },
    { weight: 1, arbitrary: fc.jsonValue().map((json): Sent => ({ body: { json }, flaw: null })) },
    // A delete without input ignores its body.
    { weight: 1, arbitrary: brokenBody.map((sent) => ({ ...sent, flaw: null })) },
  );
}

function pathValue({ path }: Described, name: string, schema: Json): fc.Arbitrary<Json> {
  const kind = path.startsWith("/posts") ? "post" : path.startsWith("/pub") ? "publisher" : "subscription";
  const own = name === "id" ? known(kind) : valid(schema, name);
  return fc.oneof(
    { weight: 16, arbitrary: own },
    { weight: 1, arbitrary: known("post") },
    { weight: 2, arbitrary: nasty },
  );
}

import fc from "fast-check";

// biome-ignore lint/suspicious/noExplicitAny: schemas of a document that only this program's own tests know
export type Json = any;

/** A placeholder for something on the board, filled in when the request is sent. */
export class Known {
  readonly kind: "post" | "publisher" | "subscription" | "cursor" | "hook";
  readonly pick: number;
  constructor(kind: Known["kind"], pick: number) {
    this.kind = kind;
    this.pick = pick;
  }
}

const pick = fc.nat(1000);
export const known = (kind: Known["kind"]) => pick.map((n) => new Known(kind, n));

/** Values that the board understands under a name, where the schema only says text. */
const BY_NAME: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  post_id: known("post"),
  parent_id: known("post"),
  thread: known("post"),
  publisher: known("publisher"),
  cursor: known("cursor"),
  webhook_url: fc.oneof(known("hook"), fc.constant(null)),
  near: fc.oneof(
    fc
      .tuple(fc.integer({ min: -90, max: 90 }), fc.integer({ min: -180, max: 180 }))
      .map(([a, b]) => `${a},${b}`),
    fc.constantFrom("52.37,4.90", "90,180", "-90,-180", "0,-0", "52.37, 4.90", " 1e1,1e2 "),
  ),
  kind: fc.constantFrom("event", "offer", "request", "announcement", "thread", "event,offer"),
  timezone: fc.constantFrom("Europe/Berlin", "UTC", "asia/tokyo"),
  idempotency_key: fc.oneof(
    fc.constantFrom("one", "two", "three"),
    fc.string({ minLength: 1, maxLength: 200 }),
  ),
  // A board answers a wait when it ends.
  wait_s: fc.constantFrom(0, 0, 0, 1),
  delivery_id: fc.integer({ min: 1, max: 12 }),
  after: fc.constantFrom("2026-12-01", "2026-12-01T10:00:00Z", "0001-01-01"),
  before: fc.constantFrom("2027-01-01", "2026-01-01T00:00:00+14:00", "9999-12-31"),
  accept_terms: fc.constant(true),
};

/** Similar values that it refuses. */
export const WRONG: Readonly<Record<string, readonly Json[]>> = {
  webhook_url: ["https://127.0.0.1/", "https://[::ffff:10.0.0.1]/", "ftp://a", "https://a:b@192.0.2.1/"],
  near: ["91,0", "1,2,3", ",", "1;2"],
  kind: ["news", ","],
  timezone: ["Mars/Olympus", "+01:00"],
  after: ["2026-02-30", "tomorrow", "2026-12-01T10:00:00"],
  before: ["10000-01-01", "-1"],
  ends_at: ["2020-01-01T00:00:00Z"],
  expires_at: ["2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"],
  accept_terms: [false, "true", 1],
};

/** A value that the schema accepts, as far as a schema can say; semantic rules may still refuse it. */
export function valid(schema: Json, name: string): fc.Arbitrary<Json> {
  const special = name === "kind" && Array.isArray(schema.enum) ? undefined : BY_NAME[name];
  if (special !== undefined) return special;
  if ("const" in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.map((one: Json) => valid(one, name)));
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: string) => valid({ ...schema, type }, name)));
  }
  switch (schema.type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer(boundsOf(schema));
    case "number": {
      const { min, max } = boundsOf(schema);
      return fc.oneof(fc.constantFrom(min, max), fc.double({ min, max, noNaN: true }));
    }
    case "array":
      return fc.array(valid(schema.items, ""), { maxLength: Math.min(schema.maxItems ?? 5, 20) });
    case "object":
      return objectOf(schema);
    default:
      return textOf(schema);
  }
}

const boundsOf = ({ minimum = -1e6, maximum = 1e6 }: Json) => ({
  min: Math.max(minimum, -(2 ** 31)),
  max: Math.min(maximum, 2 ** 31 - 1),
});

function objectOf({ properties, required = [] }: Json): fc.Arbitrary<Json> {
  if (properties === undefined)
    return fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue(), { maxKeys: 4 });
  // `not: {}` marks a field that is always refused.
  const taken = Object.entries<Json>(properties).filter(([, schema]) => schema.not === undefined);
  const fields = taken.map(([name, schema]) =>
    optional(
      valid(schema, name).map((value) => [name, value] as const),
      required.includes(name) ? 1 : 0.25,
    ),
  );
  return fc.tuple(...fields).map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== null)));
}

function textOf({ format, minLength = 0, maxLength = 60 }: Json): fc.Arbitrary<string> {
  if (format === "date-time") {
    const min = new Date("2026-11-01");
    const max = new Date("2027-12-31");
    return fc.oneof(
      { weight: 5, arbitrary: fc.date({ min, max, noInvalidDate: true }).map((at) => at.toISOString()) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "2026-12-31T23:59:60Z",
          "2026-12-05T10:00:00+14:00",
          "9999-12-31T23:59:59Z",
        ),
      },
    );
  }
  // Only hosts without a domain: nothing leaves this machine to look them up.
  if (format === "uri")
    return fc.constantFrom("https://192.0.2.1/a?b=c#d", "http://[2001:db8::1]:8080/", "http://localhost/ä");
  const words = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 })
    .map((some) => some.join(" "));
  return fc
    .oneof(
      words,
      words,
      fc.string({ unit: "grapheme", minLength, maxLength: Math.min(maxLength, 60) }),
      nasty,
    )
    .map((text) => (text.length < minLength ? "x" : text));
}

const WORDS =
  'free road bike repair offer Amsterdam Saturday café 自転車 דירה दोस्त "two words" -not 🚲 urgent 42'.split(
    " ",
  );

/** Texts that break programs. */
export const nasty: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "a\udfffb",
    "\u202etxt.exe\u2066",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿👩‍👩‍👧‍👦e\u0301\u0301\u0301",
    "null",
    "true",
    "-0",
    "1e400",
    "NaN",
    "9007199254740993",
    "__proto__",
    "constructor",
    "toString",
    "..",
    "%00",
    "%E0%A4%A",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "' OR 1=1 --",
    '"unclosed',
    '-"',
    "- -- --- AND NEAR( *",
    "{{7*7}}",
    "https://a:b@c/",
    "javascript:alert(1)",
    `bbk_${"a".repeat(38)}`,
    "2026-02-30T25:61:00Z",
    "+275760-09-13T00:00:00Z",
    "x".repeat(201),
    "語".repeat(3000),
    "a ".repeat(5000),
    "\n\t\r\u0085\u2028",
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
);

export const extreme = fc.constantFrom<Json>(
  0,
  -1,
  1e308,
  -1e308,
  2 ** 53,
  0.1 + 0.2,
  5e-324,
  101,
  500.0001,
  null,
  true,
  [],
  {},
);

export const deep = fc.integer({ min: 2, max: 400 }).map((levels) => {
  let value: Json = "x";
  for (let i = 0; i < levels; i += 1) value = i % 2 === 0 ? [value] : { a: value };
  return value;
});

/** The value with this probability, else null. */
export function optional<T>(value: fc.Arbitrary<T>, likelihood: number): fc.Arbitrary<T | null> {
  const parts = Math.round(likelihood * 100);
  if (parts >= 100) return value;
  return fc.oneof({ weight: parts, arbitrary: value }, { weight: 100 - parts, arbitrary: fc.constant(null) });
}

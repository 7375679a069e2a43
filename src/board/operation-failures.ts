import type { FailureCode } from "./failures.ts";
import type { Operation } from "./operation.ts";

/** All operations of one sort share these failures, so none of them declares them. */
export interface GeneralFailures {
  /** The manual prints this as the name of the operations. */
  of: string;
  codes: readonly FailureCode[];
  applies(operation: Operation): boolean;
}

/** This is the one place that says what an operation may answer beyond its own `failures`. */
export const GENERAL_FAILURES: readonly GeneralFailures[] = [
  {
    of: "every call",
    codes: ["rate_limited", "internal", "store_unavailable", "overloaded"],
    applies: () => true,
  },
  {
    of: "GET with parameters",
    codes: ["invalid_query"],
    applies: ({ rest, input }) =>
      rest.method === "GET" && Object.keys(input.shape).some((name) => !rest.path.includes(`{${name}}`)),
  },
  {
    // Operations without fields are included: a body that is not JSON is refused before its fields are looked at.
    of: "POST, PATCH, DELETE",
    codes: ["invalid_request", "invalid_json", "body_too_large", "unsupported_media_type"],
    applies: ({ rest }) => rest.method !== "GET",
  },
  {
    // The headers If-Match and If-Unmodified-Since bring this.
    of: "PATCH, DELETE",
    codes: ["precondition_failed"],
    applies: ({ rest }) => ["PATCH", "DELETE"].includes(rest.method),
  },
  {
    of: "paths with an id",
    // An id that is not valid percent-encoding gets this. Any other unknown id has a failure of its own.
    codes: ["not_found"],
    applies: ({ rest }) => rest.path.includes("{"),
  },
  {
    of: "calls that need a key",
    codes: ["missing_api_key", "invalid_api_key"],
    applies: ({ auth }) => auth === "key",
  },
  {
    // An id is looked at too.
    of: "writing with fields",
    codes: ["contains_api_key"],
    applies: ({ effect, input }) => effect === "writes" && Object.keys(input.shape).length > 0,
  },
  {
    // A suspended publisher may still read and erase.
    of: "writing with a key",
    codes: ["publisher_suspended"],
    applies: ({ effect }) => effect === "writes",
  },
  {
    of: "writing and erasing",
    codes: ["read_only"],
    applies: ({ effect }) => effect !== "reads",
  },
];

/** These belong to addresses of no operation. */
export const ROUTELESS_FAILURES: readonly FailureCode[] = ["not_found", "method_not_allowed"];

/** Every failure an operation may answer, each once: its own first, then the general ones. */
export function failuresOf(operation: Operation): FailureCode[] {
  const general = GENERAL_FAILURES.filter((rule) => rule.applies(operation)).flatMap(({ codes }) => codes);
  return [...new Set([...operation.failures, ...general])];
}

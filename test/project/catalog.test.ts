import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CATALOG_FILE, catalogText, recordedCatalog, STALE } from "../../scripts/recorded/catalog.ts";
import { loadCatalog } from "../../src/board/catalog.ts";
import { operationNamed } from "../../src/board/operation.ts";
import { failuresOf } from "../../src/board/operation-failures.ts";

const catalog = await loadCatalog();
const ANY_CALL = ["rate_limited", "internal", "store_unavailable", "overloaded"];
const BODY = ["invalid_request", "invalid_json", "body_too_large", "unsupported_media_type"];
const KEY = ["missing_api_key", "invalid_api_key"];

describe("the catalog", () => {
  it("is what test/recorded/catalog.json holds; otherwise run `npm run manual`", () => {
    expect(readFileSync(CATALOG_FILE, "utf8"), STALE).toBe(catalogText(catalog));
  });

  it("marks exactly the reading tools as read-only, for hosts that ask before any other", () => {
    for (const { name, effect, annotations } of recordedCatalog().tools)
      expect([name, annotations["readOnlyHint"]]).toEqual([name, effect === "reads"]);
  });

  it("has an example of every operation", () => {
    expect(catalog.operations.filter(({ examples }) => examples.length === 0)).toEqual([]);
  });

  it.each([
    ["about", []],
    ["search", ["invalid_query"]],
    ["get_post", ["invalid_query", "not_found"]],
    ["read_subscription", ["not_found", ...KEY]],
    ["delete_post", [...BODY, "precondition_failed", "not_found", ...KEY, "read_only"]],
    ["report_post", [...BODY, "contains_api_key", "publisher_suspended", "read_only"]],
    [
      "edit_publisher",
      [...BODY, "precondition_failed", ...KEY, "contains_api_key", "publisher_suspended", "read_only"],
    ],
  ])("lets %s fail as it declares, as any call does, and with %j", (name, codes) => {
    const operation = operationNamed(catalog.operations, name);
    expect(failuresOf(operation)).toEqual([...operation.failures, ...ANY_CALL, ...codes]);
  });
});

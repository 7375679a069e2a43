import type { Logger } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { asBoardError, logFailure, Outages } from "../../src/adapters/calls/errors.ts";
import { BoardError } from "../../src/board/failures.ts";
import { Abandoned } from "../../src/ports/search-index.ts";
import { StoreUnavailable } from "../../src/ports/store/index.ts";

const [SECOND, MINUTE] = [1_000, 60_000];
let now: number;
let lines: (readonly [level: string, fields: Record<string, unknown>, message: string])[];
let outages: Outages;
const logger = Object.fromEntries(
  ["error", "warn", "info"].map((level) => [
    level,
    (fields: Record<string, unknown>, message: string) => void lines.push([level, fields, message]),
  ]),
) as unknown as Logger;

beforeEach(() => {
  now = 0;
  lines = [];
  outages = new Outages({ logger, clock: () => now });
});
const fail = (cause: unknown, code: "internal" | "overloaded" | "post_not_found" = "overloaded") =>
  logFailure(new BoardError(code, { cause }), logger, outages);

describe("what is thrown", () => {
  it.each<[thrown: unknown, code: string, retryAfterS?: number]>([
    [new BoardError("not_owner"), "not_owner"],
    ...["entity.too.large", "parameters.too.many"].map((type): [object, string] => [
      { type },
      "body_too_large",
    ]),
    ...["encoding.unsupported", "charset.unsupported"].map((type): [object, string] => [
      { type },
      "unsupported_media_type",
    ]),
    ...["request.aborted", "request.size.invalid", "entity.parse.failed"].map((type): [object, string] => [
      { type, status: 400 },
      "invalid_json",
    ]),
    [new URIError("of a path"), "not_found"],
    [{ status: 400 }, "not_found"],
    [{ status: 500 }, "internal"],
    ...["EMFILE", "ENFILE"].map((code): [object, string, number] => [{ code }, "overloaded", 1]),
    [new Abandoned(), "overloaded", 1],
    [new StoreUnavailable("away"), "store_unavailable", 2],
    [{ code: "ENOENT" }, "internal"],
    [undefined, "internal"],
  ])("is told as a failure of the board: %j is %s", (thrown, code, retryAfterS) => {
    expect(asBoardError(thrown)).toMatchObject({ code, retryAfterS });
  });
});

describe("a failure in the log", () => {
  it("is whole where it is the board's own, under the reference that its caller is told", () => {
    const cause = new Error("a fault");
    const reference = fail(cause, "internal");
    expect(lines).toEqual([["error", { err: cause, reference }, "internal failure"]]);
    expect(reference).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("is a warning where the board is too busy, and none where the caller is gone or has erred", () => {
    const cause = new Error("no more files");
    expect(fail(cause)).toBeUndefined();
    fail(new Abandoned());
    fail(undefined, "post_not_found");
    expect(lines).toEqual([["warn", { err: cause, code: "overloaded" }, "refused"]]);
  });
});

describe("an outage in the log", () => {
  const met = (reason: string) => fail(new StoreUnavailable(reason));
  const told = () =>
    lines.splice(0).map(([level, { times_since_last_line, seconds }, message]) => ({
      level,
      ...(times_since_last_line === undefined ? {} : { times: times_since_last_line }),
      ...(seconds === undefined ? {} : { seconds }),
      message,
    }));
  const BEGUN = { level: "error", message: "the store is unavailable" };

  it("stands once for each reason, and again after ten minutes with how often it was met", () => {
    for (const reason of ["the disk is full", "the disk failed", "the disk is full", "the disk failed"])
      met(reason);
    expect(told()).toEqual([BEGUN, BEGUN]);
    for (now = 59 * SECOND; now < 10 * MINUTE; now += 59 * SECOND) met("the disk is full");
    expect(told()).toEqual([]);
    now = 10 * MINUTE;
    met("the disk is full");
    expect(told()).toEqual([{ ...BEGUN, times: 11 }]);
  });

  it("is another one after a minute without a failure", () => {
    met("the disk is full");
    now = MINUTE - 1;
    met("the disk is full");
    expect(told()).toEqual([BEGUN]);
    now += MINUTE;
    met("the disk is full");
    expect(told()).toEqual([{ ...BEGUN, times: 1 }]);
  });

  it("is over once the store works and nothing has met it for two seconds, and says how long it took", () => {
    outages.over();
    met("the disk is full");
    now = 7 * SECOND;
    met("the disk failed");
    now += 2 * SECOND - 1;
    outages.over();
    expect(told()).toEqual([BEGUN, BEGUN]);
    now += 1;
    outages.over();
    outages.over();
    expect(told()).toEqual([{ level: "info", seconds: 9, message: "the store is available again" }]);
    met("the disk is full");
    expect(told()).toEqual([BEGUN]);
  });
});

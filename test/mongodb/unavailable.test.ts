import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from "mongodb";
import { describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../src/ports/store/index.ts";
import { isDuplicate } from "../../src/store/mongodb/database/connection.ts";
import { unavailable } from "../../src/store/mongodb/database/unavailable.ts";

const refusal = (code: number) => new MongoServerError({ message: "no", code });
const made = (error: Error) => unavailable(() => Promise.reject(error)).catch((thrown: unknown) => thrown);

describe("an error of MongoDB", () => {
  it.each([
    ["the primary is another", [189, 10107, 11602, 13435, 13436]],
    ["a server stops or starts", [43, 91, 237, 11600, 11601]],
    ["a server cannot be reached", [6, 7, 89, 133, 134, 202, 9001]],
    ["it takes too long", [24, 50, 64, 112, 175, 251, 262, 290]],
    ["there is too much to do, or no room", [365, 462, 8000, 14031]],
    ["a moment of the past is gone", [239, 246, 250]],
  ])("says that it cannot be done now, when %s", async (_why, codes) => {
    for (const code of codes)
      expect(await made(refusal(code)), String(code)).toBeInstanceOf(StoreUnavailable);
  });

  it("says so of a lost connection and of others who write the same; what is our own mistake stays as it is", async () => {
    expect(await made(new MongoNetworkError("db.internal:27017"))).toMatchObject({
      name: "StoreUnavailable",
      message: expect.not.stringContaining("internal"),
    });
    const contended = refusal(112);
    contended.addErrorLabel("TransientTransactionError");
    expect(await made(contended)).toMatchObject({ message: expect.stringContaining("others were writing") });
    const wrongPassword = refusal(8000);
    wrongPassword.addErrorLabel("HandshakeError");
    expect(await made(wrongPassword)).toMatchObject({
      name: "StoreUnavailable",
      message: expect.stringContaining("refuses this user: look at name, password"),
      cause: wrongPassword,
    });
    for (const error of [refusal(11000), refusal(2), refusal(18), refusal(13), new RangeError("ours")])
      expect(await made(error)).toBe(error);
  });

  it.each([
    "MongoClientClosedError",
    "MongoExpiredSessionError",
    "MongoNetworkTimeoutError",
    "MongoNotConnectedError",
    "MongoOperationTimeoutError",
    "MongoPoolClosedError",
    "MongoServerClosedError",
    "MongoServerSelectionError",
    "MongoTopologyClosedError",
    "MongoWaitQueueTimeoutError",
  ])("says so of what the driver calls %s", async (name) => {
    const error = Object.defineProperty(new MongoError("db.internal:27017"), "name", { value: name });
    const known = [MongoNetworkTimeoutError, MongoServerSelectionError].find((one) => one.name === name);
    expect(await made(known === undefined ? error : new known("db.internal", {} as never))).toMatchObject({
      name: "StoreUnavailable",
      message: expect.stringMatching(/^the database of STORE_URL does not answer: (?!.*internal)/),
    });
    const other = Object.defineProperty(new MongoError("ours"), "name", { value: "MongoAPIError" });
    expect(await made(other)).toBe(other);
  });

  it("says so of an error that ends several writes at once", async () => {
    for (const [code, is] of [
      [11602, true],
      [11000, false],
    ] as const) {
      const error = new MongoBulkWriteError(refusal(code) as never, {} as never);
      expect((await made(error)) instanceof StoreUnavailable, String(code)).toBe(is);
      expect(isDuplicate(error)).toBe(!is);
    }
  });
});

import { describe, expect, it } from "vitest";
import { checkServer } from "../../src/store/mongodb/database/check-server.ts";
import type { MongodbConnection } from "../../src/store/mongodb/database/connection.ts";

const HELLO = { maxWireVersion: 21, setName: "rs0", logicalSessionTimeoutMinutes: 30, hosts: ["a:1", "b:1"] };

/** Asks a server that says this of itself: older ones and look-alikes are not to be had for a test. */
const checked = (hello: object) => {
  const said = { hello: { ...HELLO, ...hello }, buildInfo: { version: "7.0.0" } };
  const command = async (asked: object) => said[Object.keys(asked)[0] as keyof typeof said];
  const connection = { client: { db: () => ({ command }) }, run: (ask: () => unknown) => ask() };
  return checkServer(connection as unknown as MongodbConnection);
};

describe("a server of MongoDB", () => {
  it("holds a board from 7.0 on, as a replica set or behind mongos", async () => {
    const facts = { version: "7.0.0", wireVersion: 21, setName: "rs0", members: 2 };
    expect(await checked({})).toEqual(facts);
    expect(await checked({ passives: ["c:1"], arbiters: ["d:1"] })).toEqual({ ...facts, members: 3 });
    const mongos = { setName: undefined, hosts: undefined, msg: "isdbgrid" };
    expect(await checked(mongos)).toEqual({ ...facts, setName: null, members: 0 });
  });

  it.each([
    ["an older one", { maxWireVersion: 20 }, "needs MongoDB 7.0 or newer"],
    ["one alone", { setName: undefined }, "neither a replica set nor mongos"],
    ["one without sessions", { logicalSessionTimeoutMinutes: undefined }, "has no sessions"],
  ])("does not where it is %s", async (_what, hello, said) => {
    await expect(checked(hello)).rejects.toThrow(said);
  });
});

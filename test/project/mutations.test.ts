import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MUTATIONS, mutated, ROWS, securityTests } from "../../scripts/mutations/table.ts";

const read = (path: string) => readFileSync(path, "utf8");

/** Whether each is noticed is tried by `npm run test:mutations`. */
describe("the table of mutations", () => {
  it("has at least forty, of every row", () => {
    expect(MUTATIONS.length).toBeGreaterThanOrEqual(40);
    expect(new Set(MUTATIONS.map(({ row }) => row))).toEqual(new Set(Object.keys(ROWS)));
  });

  it.each(MUTATIONS)("$row finds the place and the test of: $defence", (one) => {
    const source = read(one.file);
    expect(mutated(one, source)).not.toBe(source);
    const [file, title] = one.test;
    const names = /store(\.slow)?\.test\.ts$/.test(file) ? CONTRACT.map(read).join("\n") : read(file);
    expect(names).toContain(title.replaceAll('"', '\\"'));
  });

  it("is written down in docs/security-tests.md", () => {
    expect(read("docs/security-tests.md")).toBe(securityTests());
  });
});

/** Where the titles of the store's tests are. */
const CONTRACT = ["deliveries.ts", "posts/removal.ts", "pushes/outcomes.ts"].map(
  (file) => `test/contract/store/${file}`,
);

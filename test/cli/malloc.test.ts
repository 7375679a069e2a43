import { describe, expect, it, vi } from "vitest";
import { boundMalloc, MALLOC_BOUNDS } from "../../src/malloc.ts";

const started = () => ({
  platform: "linux",
  execPath: "/usr/bin/node",
  execArgv: ["--no-warnings"],
  argv: ["/usr/bin/node", "/lib/main.js", "serve", "--port", "1"],
  env: { HOME: "/root", PORT: undefined } as Record<string, string | undefined>,
  execve: vi.fn(),
});

describe("boundMalloc", () => {
  it("begins the program again with the same arguments and the bounds of malloc", () => {
    const program = started();
    boundMalloc(program);
    expect(program.execve).toHaveBeenCalledExactlyOnceWith(
      "/usr/bin/node",
      ["/usr/bin/node", "--no-warnings", "/lib/main.js", "serve", "--port", "1"],
      { HOME: "/root", ...MALLOC_BOUNDS },
    );
  });

  it.each([
    ["they are set", { env: { MALLOC_ARENA_MAX: "4" } }],
    ["the system has another malloc", { platform: "darwin" }],
    ["a parent talks with it", { send: () => {} }],
    ["this Node cannot", { execve: undefined }],
  ])("leaves it as it is where %s", (_, more) => {
    const program = started();
    boundMalloc({ ...program, ...more } as never);
    expect(program.execve).not.toHaveBeenCalled();
  });

  it("goes on where it is refused", () => {
    const execve = vi.fn(() => {
      throw new Error("not permitted");
    });
    expect(() => boundMalloc({ ...started(), execve })).not.toThrow();
  });
});

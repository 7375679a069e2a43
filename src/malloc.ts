/**
 * What glibc's malloc is told, so that freed memory leaves the process: its thresholds otherwise grow with the largest
 * block ever freed, and each thread gets an arena of its own.
 */
export const MALLOC_BOUNDS = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
} as const;

/** Of Node's `process`; `execve` is there from 22.15 on. */
interface Program {
  platform: string;
  execPath: string;
  execArgv: readonly string[];
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** There in a child that talks with its parent. */
  send?: unknown;
  execve?: (file: string, args: readonly string[], env: Record<string, string>) => void;
}

/**
 * Begins the program once more in the same process, with `MALLOC_BOUNDS` in its environment: malloc reads them before any
 * code runs. Does nothing where they are set, and where Node cannot do so; there whoever starts the program sets them.
 */
export function boundMalloc({ platform, execPath, execArgv, argv, env, send, execve }: Program): void {
  const isSet = Object.keys(MALLOC_BOUNDS).some((name) => env[name] !== undefined);
  if (platform !== "linux" || isSet || send !== undefined || execve === undefined) return;
  const inherited = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], {
      ...Object.fromEntries(inherited),
      ...MALLOC_BOUNDS,
    });
  } catch {
    // Not permitted, or not on this system: the program goes on and holds more memory.
  }
}

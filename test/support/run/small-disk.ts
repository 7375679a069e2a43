import { execFileSync } from "node:child_process";

/** Mounts, or mounts anew, as root on Linux. */
export const mount = (...args: string[]): void => void execFileSync("mount", args, { stdio: "ignore" });
export const unmount = (folder: string): void =>
  void execFileSync("umount", ["-l", folder], { stdio: "ignore" });

/** Puts a small disk of its own at an empty folder; false where this machine does not allow that. */
export function mountSmallDisk(folder: string, megabytes: number): boolean {
  try {
    mount("-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder);
    return true;
  } catch {
    return false;
  }
}

import { closeSync, mkdirSync, openSync, rmSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

/** From <linux/magic.h>. */
const BTRFS = 0x9123683e;

/**
 * SQLite maps the `-shm` file of a database into memory. On btrfs a store into it takes a new block, and on a full disk the process ends with
 * SIGBUS; the files beside it are written, and fail with an error. So this file is made one that is overwritten in place (`chattr +C`), which
 * btrfs does for a file that is empty. Nobody may have the database open. Where there is no `chattr`, docs/storage.md tells what to do.
 */
export function prepareSharedMemory(path: string): void {
  if (!isOnBtrfs(dirname(path))) return;
  rmSync(path, { force: true });
  closeSync(openSync(path, "a", 0o600));
  avoidCopyOnWrite(path);
}

/** The same for all files that will be created in a folder. */
export function prepareFolder(path: string): void {
  if (!isOnBtrfs(dirname(path))) return;
  mkdirSync(path, { recursive: true, mode: 0o700 });
  avoidCopyOnWrite(path);
}

function isOnBtrfs(folder: string): boolean {
  return statfsSync(folder).type === BTRFS;
}

function avoidCopyOnWrite(path: string): void {
  if (Bun.which("chattr") !== null) Bun.spawnSync(["chattr", "+C", path]);
}

import { closeSync, mkdirSync, openSync, rmSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

/** From <linux/magic.h>. */
const BTRFS = 0x9123683e;

/**
 * Disables copy-on-write for the shared memory file of a database (`-shm`), which SQLite maps into memory. On btrfs a store into a mapped page
 * allocates a new block, and on a full disk that ends the process with SIGBUS; the other files are written with system calls, which fail with
 * an error. `chattr +C` only works on an empty file, so the file is created again: no process may have the database open. Without `chattr`,
 * docs/storage.md says what to do.
 */
export function prepareSharedMemory(path: string): void {
  if (!isOnBtrfs(dirname(path))) return;
  rmSync(path, { force: true });
  closeSync(openSync(path, "a", 0o600));
  avoidCopyOnWrite(path);
}

/** Disables copy-on-write for all files that will be created in a folder. */
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

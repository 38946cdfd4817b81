/**
 * Runs before each test file (bunfig.toml): puts temporary files into memory if there is enough of it, unless `TMPDIR` names a folder.
 * Tests create and delete tens of thousands of files. ext4 needs several times the CPU time for this, because it skips the inodes that were
 * just freed.
 */
import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

const IN_MEMORY = "/dev/shm";
/** Several times the memory that concurrent tests use. Containers often have only 64 MiB. */
const ENOUGH_BYTES = 6 * 1024 ** 3;

function isUsable(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    // Some tests start programs from this folder.
    const isExecutable = !new RegExp(`^\\S+ ${IN_MEMORY} \\S+ \\S*\\bnoexec\\b`, "m").test(readFileSync("/proc/mounts", "utf8"));
    return isExecutable && bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

if (process.env["TMPDIR"] === undefined && isUsable()) process.env["TMPDIR"] = IN_MEMORY;

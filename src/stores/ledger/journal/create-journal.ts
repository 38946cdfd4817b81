import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { bootId } from "./boot-id.ts";
import { JOURNAL_BYTES, writeHeader, type Mark } from "./journal-layout.ts";

/**
 * Replaces the journal with an empty one, and opens it. The whole file is written, so that its blocks are allocated before anything depends
 * on them. At every durability setting it is fsynced and then renamed into place: after a kill or a loss of power, either the previous file
 * or this one exists. Without the fsync some file systems would leave an empty file, which looks like a lost journal.
 */
export function createJournal(path: string, mark: Mark): number {
  const unnamed = `${path}.new`;
  rmSync(unnamed, { force: true });
  // Not O_APPEND: that would ignore the position of a write.
  const fd = openSync(unnamed, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    const bytes = Buffer.alloc(JOURNAL_BYTES);
    writeHeader(bytes, bootId(), mark);
    writeWhole(fd, bytes, 0, JOURNAL_BYTES);
    fsyncSync(fd);
    renameSync(unnamed, path);
    syncFolder(dirname(path));
    return fd;
  } catch (error) {
    closeSync(fd);
    rmSync(unnamed, { force: true });
    throw error;
  }
}

/** Writes a range of the bytes to the same range of the file. Throws ENOSPC for a short write. */
export function writeWhole(fd: number, bytes: Buffer, at: number, length: number): void {
  const written = writeSync(fd, bytes, at, length, at);
  // On a full disk a write may be short without an error.
  if (written < length) throw Object.assign(new Error(`ENOSPC: no space left on device, write`), { code: "ENOSPC" });
}

/** Makes the file names in a folder durable. */
export function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  fsyncSync(fd);
  closeSync(fd);
}

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import { canOthers } from "./file-modes.ts";

/** A file of the configuration. */
export interface FileText {
  readonly text: string;
  readonly modifiedAtMs: number;
  /** Whether every user of this machine can read it: then it must not contain secrets. */
  readonly isOpenToAll: boolean;
}

/** Enough for thousands of models. Reading a larger file would block the event loop for too long. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a file that no other user can have written. `risk` is what other users could do by writing it. The file is checked and read through
 * one descriptor, so that the path cannot be swapped in between.
 */
export function readFileText(path: string, risk: string): FileText {
  const file = openOrExplain(path);
  try {
    const { size, mode, mtimeMs } = fstatSync(file);
    if (size > MAX_BYTES) throw new ConfigError(`${path} has ${size} bytes: it may have at most ${MAX_BYTES}`);
    if (canOthers("write", path, mode)) {
      throw new ConfigError(`${path} can be changed by every user of this machine, who could ${risk}: chmod o-w ${path}`);
    }
    return { text: decode(readFileSync(file), path), modifiedAtMs: mtimeMs, isOpenToAll: canOthers("read", path, mode) };
  } finally {
    closeSync(file);
  }
}

function openOrExplain(path: string): number {
  try {
    // Non-blocking: opening a pipe instead of a file would wait for its other end.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw new ConfigError(`${path} ${code === "ENOENT" ? "does not exist" : `cannot be read: ${String(code)}`}`);
  }
  throw new ConfigError(`${path} is not a file`);
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError(`${path} is not UTF-8 text: save it in that encoding`);
  }
}

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import { canOthers } from "./file-modes.ts";

/** A config file as it is on the disk. */
export interface ConfigText {
  readonly text: string;
  readonly modifiedAtMs: number;
  /** Whether every user of this machine can read it: then no secret may be in it. */
  readonly isOpenToAll: boolean;
}

/** Thousands of models. What is larger is not a config file, and to read it would stop everything else for too long. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads a config file that nobody else can have written. What is checked and what is read is the same file, whatever its name is given to. */
export function readConfigText(path: string): ConfigText {
  const file = openOrExplain(path);
  try {
    const { size, mode, mtimeMs } = fstatSync(file);
    if (size > MAX_BYTES) throw new ConfigError(`${path} has ${size} bytes: a config file has ${MAX_BYTES} at most`);
    if (canOthers("write", path, mode)) {
      throw new ConfigError(
        `${path} can be changed by every user of this machine, and so can be where credentials are sent: chmod o-w ${path}`,
      );
    }
    return { text: decode(readFileSync(file), path), modifiedAtMs: mtimeMs, isOpenToAll: canOthers("read", path, mode) };
  } finally {
    closeSync(file);
  }
}

function openOrExplain(path: string): number {
  try {
    // Without waiting: a pipe in the file's place would make us wait for its other end.
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw new ConfigError(`${path} ${code === "ENOENT" ? "is not there" : `cannot be read: ${String(code)}`}`);
  }
  throw new ConfigError(`${path} is not a file`);
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigError(`${path} is not text in UTF-8: save it in that encoding`);
  }
}

import { accessSync, constants, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./config-error.ts";
import { SETTINGS } from "../config.ts";
import { canOthers } from "./file-modes.ts";

/** Whoever reads one of these is an operator, can forge keys, or opens the credentials at upstreams. */
const SECRETS = ["operator-token", "hash-secret", "secret"] as const;

/** Makes the folder for everything that is kept, where there is none, and refuses one that is not fit for it. */
export function prepareDataFolder(folder: string): void {
  makeFolder(folder);
  for (const path of SECRETS.map((name) => join(folder, name))) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats) refuseUnsafe(path, stats.mode);
  }
}

function makeFolder(folder: string): void {
  const another = `${SETTINGS.data} chooses another folder`;
  const problem = problemOf(() => {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) throw new Error("it is not a folder");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });
  if (problem !== undefined) throw new ConfigError(`nothing can be kept in ${folder}: ${problem}. ${another}`);
}

function problemOf(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function refuseUnsafe(path: string, mode: number): void {
  if (canOthers("read", path, mode) || canOthers("write", path, mode)) {
    throw new ConfigError(`${path} is a secret, and open to every user of this machine: chmod 600 ${path}`);
  }
  if (readFileSync(path, "utf8").trim() === "") {
    throw new ConfigError(`${path} is empty. Remove it to have a new secret made, or restore it from a backup`);
  }
}

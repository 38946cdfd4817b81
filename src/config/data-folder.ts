import { accessSync, constants, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "./config-error.ts";
import { SETTINGS } from "../config.ts";
import { canOthers } from "./file-modes.ts";
import { messageOf } from "../lib/text/message-of.ts";

/** Anyone who has one of these files can act as an operator, forge keys, or decrypt the credentials of upstreams. */
const SECRETS = ["operator-token", "hash-secret", "secret"] as const;

/** Creates the data folder if it does not exist, and rejects one that is unsafe or unusable. */
export function prepareDataFolder(folder: string): void {
  makeFolder(folder);
  for (const path of SECRETS.map((name) => join(folder, name))) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats) refuseUnsafe(path, stats.mode);
  }
}

function makeFolder(folder: string): void {
  const another = `Set ${SETTINGS.data} to another folder`;
  const problem = problemOf(() => {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) throw new Error("it is not a folder");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });
  if (problem !== undefined) throw new ConfigError(`the data folder ${folder} cannot be used: ${problem}. ${another}`);
}

function problemOf(attempt: () => void): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function refuseUnsafe(path: string, mode: number): void {
  if (canOthers("read", path, mode) || canOthers("write", path, mode)) {
    throw new ConfigError(`${path} is a secret, but every user of this machine can read or write it: chmod 600 ${path}`);
  }
  if (readFileSync(path, "utf8").trim() === "") {
    throw new ConfigError(`${path} is empty. Remove it to generate a new secret, or restore it from a backup`);
  }
}

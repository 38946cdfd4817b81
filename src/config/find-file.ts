import { statSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError, type Environment } from "./config-error.ts";

const DEFAULT_FILE = "tollgate.yaml";

/** The config file: the file that the setting names, otherwise the default file in the working directory, if it exists. */
export function findFile(env: Environment, setting: string): string | undefined {
  if (env[setting]) return findNamed(env, setting);
  const path = resolve(DEFAULT_FILE);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  if (statSync(resolve("tollgate.yml"), { throwIfNoEntry: false })) {
    throw new ConfigError(`found tollgate.yml: rename it to ${DEFAULT_FILE}`);
  }
  return undefined;
}

/** The file that a setting names. */
export function findNamed(env: Environment, setting: string): string {
  const path = resolve(env[setting]!);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return path;
  throw new ConfigError(`${setting} is ${path}, which ${stats ? "is not a file" : "does not exist"}`);
}

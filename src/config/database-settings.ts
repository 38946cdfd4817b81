import { Secret } from "../lib/secret/secret.ts";
import { ConfigError, type Environment } from "./config-error.ts";
import { readInteger } from "./variables.ts";

/** The PostgreSQL database that processes on several machines share. */
export interface DatabaseSettings {
  readonly url: Secret;
  /** How long a process admits requests after the database has last answered. */
  readonly admitSeconds: number;
}

/** The names of the variables. */
interface DatabaseVariables {
  readonly databaseUrl: string;
  readonly admitSeconds: string;
  /** The secrets that all processes share, so that what one of them writes is valid for the others. */
  readonly shared: readonly string[];
}

const PROTOCOLS: ReadonlySet<string> = new Set(["postgres:", "postgresql:"]);

/** The database, if one is set. Throws `ConfigError` without the secrets that processes have to share: each would generate its own. */
export function readDatabase(env: Environment, names: DatabaseVariables): DatabaseSettings | undefined {
  const text = env[names.databaseUrl];
  if (!text) {
    if (env[names.admitSeconds]) throw new ConfigError(`${names.admitSeconds} has no effect without ${names.databaseUrl}`);
    return undefined;
  }
  // The message must not repeat it: it contains a password.
  const url = URL.parse(text);
  if (!url || !PROTOCOLS.has(url.protocol) || url.pathname.length < 2) {
    throw new ConfigError(`${names.databaseUrl} must be the address of a PostgreSQL database: postgres://user:password@host:5432/database`);
  }
  const missing = names.shared.find((name) => !env[name]);
  if (missing !== undefined) {
    throw new ConfigError(
      `${names.databaseUrl} is set, but ${missing} is not: all processes of a database need the same one. Generate it with openssl rand -hex 32`,
    );
  }
  return { url: new Secret(text), admitSeconds: readInteger(env, names.admitSeconds, 10, 2, 300) };
}

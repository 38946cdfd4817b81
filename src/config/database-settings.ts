import { Secret } from "../lib/secret/secret.ts";
import { ConfigError, type Environment } from "./config-error.ts";
import { readChoice, readInteger } from "./variables.ts";
import { INSTANCE_ROLES, type InstanceRole } from "../stores/ledger/instance-store.ts";

/** The PostgreSQL database that processes on several machines share. */
export interface DatabaseSettings {
  readonly url: Secret;
  /** How long a process admits requests after the database's last reply. */
  readonly admitSeconds: number;
  /** The role of this process. */
  readonly role: InstanceRole;
}

/** The names of the variables. */
interface DatabaseVariables {
  readonly databaseUrl: string;
  readonly admitSeconds: string;
  readonly role: string;
  readonly processes: string;
  /** The secrets that all processes must share, so that each process accepts what the others have written. */
  readonly shared: readonly string[];
}

const PROTOCOLS: ReadonlySet<string> = new Set(["postgres:", "postgresql:"]);

/** The command-line settings about processes. */
interface ProcessOptions {
  readonly role: string | undefined;
  readonly processes: number;
}

/** The database, if one is set. Throws `ConfigError` if the shared secrets are missing: otherwise each process would generate its own. */
export function readDatabase(env: Environment, names: DatabaseVariables, options: ProcessOptions): DatabaseSettings | undefined {
  const text = env[names.databaseUrl];
  if (!text) {
    const useless = [names.admitSeconds, names.role].find((name) => env[name]) ?? (options.role === undefined ? undefined : "--role");
    if (useless !== undefined) throw new ConfigError(`${useless} has no effect without ${names.databaseUrl}`);
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
  const role =
    options.role === undefined
      ? readChoice(env, names.role, INSTANCE_ROLES)
      : readChoice({ "--role": options.role }, "--role", INSTANCE_ROLES);
  if (options.processes > 1 && role === "platform") {
    throw new ConfigError(
      `${names.processes} (--processes) is ${options.processes} and the role is platform: gateway processes serve model clients, and this role serves none. Start it with 1 process`,
    );
  }
  return { url: new Secret(text), admitSeconds: readInteger(env, names.admitSeconds, 10, 2, 300), role };
}

const DURABILITIES = ["process", "power", "cluster"] as const;
/** A process that has not called the database for 30 seconds is written off. It must stop admitting requests before that. */
const MAX_ADMIT_SECONDS = 20;

/** What charges survive. Throws `ConfigError` for `cluster` without a database, or if a lost process could still admit requests. */
export function readDurability(
  env: Environment,
  names: Pick<DatabaseVariables, "databaseUrl" | "admitSeconds"> & { readonly durability: string },
  database: DatabaseSettings | undefined,
): (typeof DURABILITIES)[number] {
  const durability = readChoice(env, names.durability, DURABILITIES);
  if (durability !== "cluster") return durability;
  if (!database) {
    throw new ConfigError(`${names.durability} is cluster, but ${names.databaseUrl} is not set: responses would wait for no database`);
  }
  if (database.admitSeconds <= MAX_ADMIT_SECONDS) return durability;
  throw new ConfigError(
    `${names.admitSeconds} is ${database.admitSeconds}, but with ${names.durability} cluster it must be at most ${MAX_ADMIT_SECONDS}: a process is written off after 30 seconds without the database`,
  );
}

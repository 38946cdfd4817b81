import { hashKeyed } from "../../lib/secret/checked-secret.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** A secret that all processes of a database share. */
export interface SharedSecret {
  /** The name of the setting. */
  readonly name: string;
  readonly secret: Secret;
  /** The previous secret, during a rotation. */
  readonly previous?: Secret | undefined;
}

/** A process has a different secret than the others, so its writes would be invalid for them. */
export class OtherSecret extends Error {
  override name = "OtherSecret";
  readonly setting: string;

  constructor(setting: string) {
    super(`${setting} is not the secret that the other processes of this database have`);
    this.setting = setting;
  }
}

/**
 * Compares the secrets with the secrets of the first process. Throws `OtherSecret`. The database has a hash of each secret, which reveals
 * nothing.
 */
export async function confirmSecrets(pool: PostgresPool, secrets: readonly SharedSecret[]): Promise<void> {
  for (const { name, secret, previous } of secrets) {
    const check = checkOf(name, secret);
    const known = previous ? [check, checkOf(name, previous)] : [check];
    await pool.query("insert into shared_settings (name, value) values ($1, $2) on conflict do nothing", [name, check]);
    const confirmed = await pool.query("update shared_settings set value = $2 where name = $1 and value = any($3::text[]) returning name", [
      name,
      check,
      known,
    ]);
    if (confirmed.length === 0) throw new OtherSecret(name);
  }
}

/** The name of the setting whose secret differs from the database's, if any. Nothing is written. */
export async function findOtherSecret(pool: PostgresPool, secrets: readonly SharedSecret[]): Promise<string | undefined> {
  for (const { name, secret, previous } of secrets) {
    const [row] = await pool.query<{ value: string }>("select value from shared_settings where name = $1", [name]);
    const known = [secret, ...(previous ? [previous] : [])].map((each) => checkOf(name, each));
    if (row && !known.includes(row.value)) return name;
  }
  return undefined;
}

function checkOf(name: string, secret: Secret): string {
  return Buffer.from(hashKeyed(`check of ${name}`, secret)).toString("hex");
}

import type { Database as SqliteFile } from "bun:sqlite";
import { SETTINGS, type StorageConfig } from "../../config.ts";
import { ConfigError } from "../../config/config-error.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { HASH_SECRET, HASH_SECRET_CHECK, VAULT_SECRET } from "../../stores/backup/backup-names.ts";
import { findOtherSecret, OtherSecret } from "../../stores/postgres/confirm-secrets.ts";
import type { PostgresPool } from "../../stores/postgres/postgres-pool.ts";
import { readSecret } from "../../stores/secret-file.ts";
import { checkOf, findHashSecret } from "../load-hash-secret.ts";
import { vaultSecretIn } from "../moving/opened-sides.ts";
import type { BackupOptions } from "./backup-options.ts";
import type { SecretFile } from "./backup-source.ts";

type Choice = Pick<BackupOptions, "hasHashSecret" | "hasCredentials">;

/**
 * The secrets of a data folder, from their variables or its files. Throws `ConfigError` if a secret is missing, or is not the secret that
 * the stored keys need.
 */
export function secretsOfFolder(
  { dataFolder, secret, hashSecret }: StorageConfig,
  file: SqliteFile,
  choice: Choice,
): readonly SecretFile[] {
  const { count } = file.query<{ count: number }, []>("select count(*) as count from keys").get()!;
  const found = findHashSecret(dataFolder, hashSecret, count);
  const vault = secret ?? readSecret(vaultSecretIn(dataFolder));
  if (choice.hasCredentials && !vault) {
    throw new ConfigError(`${SETTINGS.secret} is not set, and ${vaultSecretIn(dataFolder)} is missing: credentials cannot be included`);
  }
  return chosen(found, vault, choice);
}

/**
 * The secrets of a database, from their variables. Throws `ConfigError` if a secret is not set, and `OtherSecret` if it is a different one.
 */
export async function secretsOfDatabase(
  { secret, hashSecret }: StorageConfig,
  pool: PostgresPool,
  choice: Choice,
): Promise<readonly SecretFile[]> {
  const wanted = [
    { name: SETTINGS.hashSecret, secret: hashSecret, isWanted: choice.hasHashSecret },
    { name: SETTINGS.secret, secret, isWanted: choice.hasCredentials },
  ];
  const missing = wanted.find((each) => each.isWanted && !each.secret);
  if (missing) throw new ConfigError(`${missing.name} is not set: a backup cannot include it`);
  const given = wanted.flatMap(({ name, secret: each }) => (each ? [{ name, secret: each }] : []));
  const other = await findOtherSecret(pool, given);
  if (other !== undefined) throw new OtherSecret(other);
  return chosen(hashSecret, secret, choice);
}

/** A backup without the hash secret has a hash of it instead, with which a start notices a wrong secret. */
function chosen(
  hashSecret: Secret | undefined,
  vault: Secret | undefined,
  { hasHashSecret, hasCredentials }: Choice,
): readonly SecretFile[] {
  const files: SecretFile[] = [];
  if (hashSecret)
    files.push(hasHashSecret ? { name: HASH_SECRET, secret: hashSecret } : { name: HASH_SECRET_CHECK, secret: checkOf(hashSecret) });
  if (hasCredentials && vault) files.push({ name: VAULT_SECRET, secret: vault });
  return files;
}

import { SETTINGS } from "../config.ts";
import { ConfigError } from "../config/config-error.ts";
import { hashKeyed } from "../lib/secret/checked-secret.ts";
import { Secret } from "../lib/secret/secret.ts";
import { filesIn } from "../stores/integrity/folder-files.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import { loadOrCreateSecret, readSecret, writeSecret } from "../stores/secret-file.ts";

/**
 * Loads the secret that all stored keys are hashed with: `given` from `TOLLGATE_HASH_SECRET`, or the secret in the data folder. While there
 * are keys, it is never replaced silently. A given secret is not stored: `hash-secret-check` contains a hash of it, with which a later
 * start notices a different secret.
 */
export function loadHashSecret(dataFolder: string, given: Secret | undefined, keys: KeyStore): Secret {
  const { hashSecret: path, hashSecretCheck: checkPath } = filesIn(dataFolder);
  const check = readSecret(checkPath);
  const stored = readSecret(path);
  const count = keys.ids().length;
  const secret = findHashSecret(dataFolder, given, count) ?? loadOrCreateSecret(path);
  // If nothing confirms a secret, it may be wrong. With a hash of the wrong secret, a later start would reject the right one.
  const isConfirmed = count === 0 || check !== undefined || stored !== undefined;
  if ((given || check) && isConfirmed && !checkOf(secret).equals(check)) writeSecret(checkPath, checkOf(secret));
  return secret;
}

/**
 * The secret that the stored keys are hashed with, if there is one. Throws `ConfigError` if there are keys but the secret is missing or a
 * different one.
 */
export function findHashSecret(dataFolder: string, given: Secret | undefined, count: number): Secret | undefined {
  const { hashSecret: path, hashSecretCheck: checkPath } = filesIn(dataFolder);
  const stored = readSecret(path);
  if (count > 0) refuseOther({ given, stored, path, check: readSecret(checkPath), count });
  return given ?? stored;
}

/** Records a secret from its variable in a new data folder, whose keys are hashed with it. */
export function noteHashSecret(dataFolder: string, secret: Secret): void {
  writeSecret(filesIn(dataFolder).hashSecretCheck, checkOf(secret));
}

interface Candidates {
  readonly given: Secret | undefined;
  /** The secret in the file `path`. */
  readonly stored: Secret | undefined;
  readonly path: string;
  readonly check: Secret | undefined;
  /** The number of keys. */
  readonly count: number;
}

function refuseOther({ given, stored, path, check, count }: Candidates): void {
  const secret = given ?? stored;
  if (!secret) {
    const [lost, remedy] = check ? [`${SETTINGS.hashSecret} is not set`, "Set"] : [`${path} is missing`, "Restore"];
    throw new ConfigError(`${lost}, and without it none of the ${count} keys is valid. ${remedy} it, or start with another folder.`);
  }
  const isMatching = (one: Secret): boolean => (check ? checkOf(one).equals(check) : !stored || one.equals(stored));
  if (isMatching(secret)) return;
  const remedy =
    stored && isMatching(stored)
      ? `Unset it, or set it to the secret in ${path}.`
      : `Set ${SETTINGS.hashSecret} to the secret that was used before, or start with another folder.`;
  const wrong = given ? SETTINGS.hashSecret : path;
  throw new ConfigError(`${wrong} is not the secret that the stored keys are hashed with: no key would be valid. ${remedy}`);
}

/** The hash reveals nothing about the secret, because the secret has at least 32 characters. */
export function checkOf(secret: Secret): Secret {
  return new Secret(Buffer.from(hashKeyed("check of the hash secret", secret)).toString("hex"));
}

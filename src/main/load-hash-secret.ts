import { join } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import { loadOrCreateSecret, readSecret } from "../stores/secret-file.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** Loads the secret that all stored keys are hashed with. It is never replaced silently. */
export function loadHashSecret(dataFolder: string, keys: KeyStore): Secret {
  const path = join(dataFolder, "hash-secret");
  const count = keys.ids().length;
  if (count > 0 && !readSecret(path)) {
    throw new ConfigError(
      `${path} is missing, and without it none of the ${count} keys is valid. Restore it, or start with another folder.`,
    );
  }
  return loadOrCreateSecret(path);
}

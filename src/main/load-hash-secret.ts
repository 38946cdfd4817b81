import { join } from "node:path";
import { ConfigError } from "../config/config-error.ts";
import type { KeyStore } from "../stores/keys/key-store.ts";
import { keepSecret, readSecret } from "../stores/secret-file.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** Every stored key is hashed with it, so a new one must not quietly take its place. */
export function keepHashSecret(dataFolder: string, keys: KeyStore): Secret {
  const path = join(dataFolder, "hash-secret");
  const count = keys.ids().length;
  if (count > 0 && !readSecret(path)) {
    throw new ConfigError(`${path} is gone, and without it none of the ${count} keys works. Restore it, or start with another folder.`);
  }
  return keepSecret(path);
}

import type { DeclaredHeaders } from "../../models/headers/secret-headers.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { SecretLost, type Vault } from "../vault.ts";

/** Headers in the JSON of a model or an upstream: their names, and each value as a ciphertext. */
export type SealedHeaders = Readonly<Record<string, string>>;

/** Encrypts each value separately. `purpose` is what the ciphertexts are bound to: they do not decrypt in another row. */
export function sealHeaders(headers: DeclaredHeaders, purpose: string, vault: Vault): SealedHeaders {
  const seal = (value: string | Secret): string => vault.seal(typeof value === "string" ? new Secret(value) : value, purpose);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, seal(value)]));
}

/** The inverse of `sealHeaders`. Throws `SecretLost`. */
export function openHeaders(sealed: SealedHeaders, purpose: string, vault: Vault): Record<string, Secret> {
  const open = (value: string): Secret => {
    const opened = vault.open(value, purpose);
    if (opened) return opened;
    throw new SecretLost(`The ${purpose} were encrypted with another secret.`);
  };
  return Object.fromEntries(Object.entries(sealed).map(([name, value]) => [name, open(value)]));
}

import { revealIdentity } from "../../../models/identities/identity.ts";
import { credentialsOf, identityOf, type UpstreamSettings } from "../../../models/upstream-settings.ts";

const digests = new WeakMap<UpstreamSettings, string>();

/**
 * Identifies an upstream in messages between processes: its id, address, credentials and identity, by which its health and the numbers of its credentials mean
 * the same in both. One-way, because it has the credentials in it.
 */
export function digestOf(settings: UpstreamSettings): string {
  let digest = digests.get(settings);
  if (digest === undefined) digests.set(settings, (digest = compute(settings)));
  return digest;
}

function compute(settings: UpstreamSettings): string {
  const baseUrl = settings.dialect === "echo" ? null : settings.baseUrl;
  const parts = [
    settings.id,
    settings.dialect,
    baseUrl,
    ...credentialsOf(settings).map((secret) => secret.reveal()),
    revealIdentity(identityOf(settings)),
  ];
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

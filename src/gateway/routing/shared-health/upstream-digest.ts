import { revealIdentity } from "../../../models/identities/identity.ts";
import { credentialsOf, identityOf, type UpstreamSettings } from "../../../models/upstream-settings.ts";

const digests = new WeakMap<UpstreamSettings, string>();

/**
 * Identifies an upstream in messages between processes: a digest of its id, address, credentials and identity. If the digests are equal,
 * health and credential numbers mean the same in both processes. The hash is one-way, because credentials are part of its input.
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

import type { ListenerSettings } from "../listener-settings.ts";

/** Throws `ConfigError` for a certificate or a key that cannot be used. */
export async function checkTls(...listeners: readonly ListenerSettings[]): Promise<void> {
  const files = listeners.flatMap(({ tls }) => tls ?? []);
  if (files.length === 0) return;
  // Loaded lazily: most gateways are behind a proxy, and need no cryptography for TLS.
  const { readTlsPair } = await import("./read-tls-pair.ts");
  for (const each of files) readTlsPair(each);
}

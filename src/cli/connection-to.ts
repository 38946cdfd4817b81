import { readFileSync } from "node:fs";
import type { ListenerSettings } from "../config/listener-settings.ts";
import type { NamedFile } from "../config/tls/tls-files.ts";
import { CommandFailed } from "./command.ts";

/** How to connect to a listener of this machine, beside its URL. */
export async function connectionTo({ socket, tls }: ListenerSettings): Promise<BunFetchRequestInit> {
  if (socket) return { unix: socket.path };
  return tls ? { tls: await trustOnly(tls.certificate) } : {};
}

/** Pins this certificate: its issuer and its name are not checked. */
async function trustOnly({ variable, path }: NamedFile): Promise<BunFetchRequestInitTLS> {
  // Loaded lazily: most listeners are called without it.
  const { X509Certificate } = await import("node:crypto");
  try {
    const certificate = new X509Certificate(readFileSync(path));
    // Bun's types do not have the second one: the issuer of the certificate need not be known.
    const trust = { ca: certificate.toString(), allowPartialTrustChain: true };
    return { ...trust, checkServerIdentity: (_, { raw }) => (raw.equals(certificate.raw) ? undefined : new Error("another certificate")) };
  } catch (error) {
    throw new CommandFailed(`${variable}: ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

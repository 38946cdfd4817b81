import { presetOf } from "../../models/presets.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";

/** What every request to a server carries: our credential there, and nothing of a caller's. */
export function headersFor({ preset }: RemoteSettings, credential: Secret | undefined, accept: string): Record<string, string> {
  const headers: Record<string, string> = { accept, "user-agent": "tollgate" };
  if (!credential) return headers;
  const name = preset && presetOf(preset).quirks?.credentialHeader;
  if (name && !isAccessToken(credential)) headers[name] = credential.reveal();
  else headers["authorization"] = `Bearer ${credential.reveal()}`;
  return headers;
}

/** Azure takes its own keys in a header of theirs, and tokens of Entra ID, which are JWTs, as everybody does. */
function isAccessToken(credential: Secret): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(credential.reveal());
}

import { presetOf } from "../../models/presets.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";

/** The headers of every request: our credential, and none of the caller's headers. */
export function headersFor({ preset }: RemoteSettings, credential: Secret | undefined, accept: string): Record<string, string> {
  const headers: Record<string, string> = { accept, "user-agent": "tollgate" };
  if (!credential) return headers;
  const name = preset && presetOf(preset).quirks?.credentialHeader;
  if (name && !isAccessToken(credential)) headers[name] = credential.reveal();
  else headers["authorization"] = `Bearer ${credential.reveal()}`;
  return headers;
}

/** Azure expects API keys in its own header, and Entra ID tokens (JWTs) as a bearer token. */
function isAccessToken(credential: Secret): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(credential.reveal());
}

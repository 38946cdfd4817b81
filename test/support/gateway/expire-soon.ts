import type { RunningGateway } from "./start-gateway.ts";
import { eventually } from "../eventually.ts";

const SOON_MS = 300;

/**
 * Makes a key expire a moment from now, and returns the expiry time. If the time has passed when the call arrives at the gateway, the call
 * is rejected, and a later time is sent.
 */
export async function expireSoon(gateway: RunningGateway, keyId: string): Promise<number> {
  let expiresAtMs = 0;
  await eventually(
    () => {
      expiresAtMs = Date.now() + SOON_MS;
      return gateway
        .platform("PATCH", `/api/keys/${keyId}`, { expires_at: new Date(expiresAtMs).toISOString() })
        .then(() => "accepted", String);
    },
    (outcome) => outcome === "accepted",
  );
  return expiresAtMs;
}

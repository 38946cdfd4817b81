import type { RunningGateway } from "./start-gateway.ts";
import { eventually } from "../eventually.ts";

const SOON_MS = 300;

/** Lets a key expire a moment from now, and returns when. A moment that passes on the way to the gateway is refused: then a later one is sent. */
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

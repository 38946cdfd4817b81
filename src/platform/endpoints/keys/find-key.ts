import { reaches, type Actor } from "../../../vocabulary/access.ts";
import type { KeyRecord } from "../../../vocabulary/api-key.ts";
import { GatewayError } from "../../../vocabulary/gateway-error.ts";
import type { Platform } from "../../platform.ts";

/** A key that the actor may see. Another account's is refused like one that is not there. */
export function findKey(id: string, actor: Actor, platform: Platform): KeyRecord {
  const key = platform.keys.find(id);
  if (key && reaches(actor, key.accountId)) return key;
  throw new GatewayError("unknown_key", "There is no key with this id.");
}

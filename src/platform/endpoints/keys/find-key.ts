import { mayAccess, type Actor } from "../../../access/access.ts";
import type { KeyRecord } from "../../../access/api-key.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";

/** A key that the actor may see. */
export function findKey(id: string, actor: Actor, platform: Platform): KeyRecord {
  return existingKey(platform.keys.find(id), id, actor);
}

/** The same for the result of a search by id. A key of another account is reported as not found. */
export function existingKey(key: KeyRecord | undefined, id: string, actor: Actor): KeyRecord {
  if (key && mayAccess(actor, key.accountId)) return key;
  throw unknownId("unknown_key", "key", id);
}

import type { Change } from "../access/change.ts";
import { GatewayError } from "../requests/gateway-error.ts";
import type { Call, Operation } from "./operation.ts";
import type { Platform } from "./platform.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

/**
 * Creates something at most once for each `Idempotency-Key` of an actor. What was created, and under which key, is in the audit
 * log, which is written in the same transaction: there is no moment at which one is there without the other.
 */
export async function createOnce(
  operation: Operation,
  call: Call,
  { key, digest }: NonNullable<Change["idempotency"]>,
  { auditLog }: Platform,
): Promise<Reply> {
  const showEarlier = async (): Promise<Reply | undefined> => {
    const earlier = await auditLog.findCreation(call.actor.id, key);
    if (!earlier) return undefined;
    if (earlier.digest === digest) return operation.showCreated!(earlier.target.id, call);
    throw new GatewayError("idempotency_key_reused", "This Idempotency-Key was used for another request.");
  };
  const shown = await showEarlier();
  if (shown) return shown;
  try {
    return await operation.run(call);
  } catch (error) {
    // Of two at the same moment the second is stopped by the log, and finds there what the first has made.
    const made = await showEarlier();
    if (made) return made;
    throw error;
  }
}

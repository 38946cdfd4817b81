import type { Change } from "../access/change.ts";
import { ApiError } from "../requests/api-error.ts";
import { runOperation, toReply, type Call, type Operation } from "./operation.ts";
import type { Platform } from "./platform.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

/**
 * Creates a resource at most once per `Idempotency-Key` of an actor. The resource and its key are recorded in the audit log in the same
 * transaction, so neither can exist without the other.
 */
export async function createIdempotently(
  operation: Operation,
  call: Call,
  { key, digest }: NonNullable<Change["idempotency"]>,
  { auditLog }: Platform,
): Promise<Reply> {
  const showEarlier = async (): Promise<Reply | undefined> => {
    const earlier = await auditLog.findCreation(call.actor.id, key);
    if (!earlier) return undefined;
    if (earlier.digest === digest) return toReply(await operation.showCreated!(earlier.target.id, call), 200);
    throw new ApiError("idempotency_key_reused", "This Idempotency-Key was used for another request.");
  };
  const shown = await showEarlier();
  if (shown) return shown;
  try {
    return await runOperation(operation, call);
  } catch (error) {
    // Of two concurrent requests, the audit log rejects the second, which then finds the first request's resource there.
    const made = await showEarlier();
    if (made) return made;
    throw error;
  }
}

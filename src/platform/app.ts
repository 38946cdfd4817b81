import type { Contract, Endpoint } from "../http/endpoint.ts";
import type { Actor } from "../access/access.ts";
import { errorRepliesOf } from "./error-replies.ts";
import { admitActor } from "./guard.ts";
import { runOperation, type Operation, toReply, type Call } from "./operation.ts";
import { operations } from "./operations.ts";
import type { Platform } from "./platform.ts";
import { readRequestInput, toCall } from "./read-call.ts";
import type { Reply } from "../lib/http1/server/reply.ts";
import type { Change } from "../access/change.ts";
import { ApiError } from "../requests/api-error.ts";

/** The platform's routes. Every route passes the guard first. */
export function platformEndpoints(platform: Platform): Endpoint[] {
  return operations(platform).map((operation) => ({
    method: operation.method,
    path: operation.path,
    isProbe: operation.isProbe ?? false,
    ...(!operation.reply.isPage && { contract: contractOf(operation) }),
    async handle(exchange) {
      const admit = (): Actor => admitActor(exchange, operation.access, platform);
      exchange.notes.actor = admit().id;
      const input = await readRequestInput(operation, exchange, platform);
      // Checked again: the body may take a long time to arrive, and its sender may have been disabled meanwhile.
      const actor = admit();
      const isChange = operation.method !== "GET";
      if (isChange) countChange(actor, platform);
      const call = toCall(operation, input, actor, exchange, platform);
      const run = (): Promise<Reply> =>
        input.idempotency ? createIdempotently(operation, call, input.idempotency, platform) : runOperation(operation, call);
      return isChange && platform.propagated ? runPropagated(run, platform.propagated) : run();
    },
  }));
}

/**
 * Read your own writes: when the caller gets the reply, the change is in force for the next request of any model client, whichever process
 * serves it. The same applies to an error, because a revocation that could not be written is in force.
 */
async function runPropagated(change: () => Promise<Reply>, propagated: () => Promise<void>): Promise<Reply> {
  try {
    return await change();
  } finally {
    await propagated();
  }
}

/**
 * A change waits for the disk and blocks the process, so the changes of each member are throttled to protect the callers of other accounts.
 */
function countChange({ role, personId }: Actor, { memberChanges, monotonicMs }: Platform): void {
  if (role === "member" && personId !== null) memberChanges.count(personId, monotonicMs());
}

function contractOf(operation: Operation): Contract {
  const { operationId, summary, access, query, body, requestHeaders, reply, showCreated } = operation;
  const { status, isPage: _, repeated = showCreated && REPLAYED, ...success } = reply;
  return {
    operationId,
    summary,
    access,
    ...(query && query !== "any" && { query }),
    ...(body && { request: body }),
    ...(showCreated && { requestHeaders: { "idempotency-key": "Your key for this creation. Repeating it creates nothing new." } }),
    ...(requestHeaders && { requestHeaders }),
    replies: {
      ...(repeated !== undefined && { 200: { ...success, description: repeated } }),
      [status]: success,
      ...errorRepliesOf(operation),
    },
  };
}

const REPLAYED =
  "The resource that an earlier call with the same `Idempotency-Key` created. Secrets are null: they are only in the first reply.";

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

import type { Contract, Endpoint } from "../http/endpoint.ts";
import type { Actor } from "../access/access.ts";
import { createOnce } from "./idempotent-create.ts";
import { errorRepliesOf } from "./error-replies.ts";
import { admitActor } from "./guard.ts";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import type { Platform } from "./platform.ts";
import { readRequestInput, toCall } from "./read-call.ts";

/** The platform's routes. Each passes the guard before anything of it runs. */
export function platformEndpoints(platform: Platform): Endpoint[] {
  return operations(platform).map((operation) => ({
    method: operation.method,
    path: operation.path,
    isProbe: operation.isProbe ?? false,
    ...(!operation.reply.isPage && { contract: contractOf(operation) }),
    async handle(exchange) {
      const admit = (): Actor => admitActor(exchange, operation.access, platform);
      exchange.notes.actor = admit().id;
      const brought = await readRequestInput(operation, exchange, platform);
      // Once more: a body takes as long to come as its sender likes, who may have been shut out meanwhile.
      const actor = admit();
      if (operation.method !== "GET") countChange(actor, platform);
      const call = toCall(operation, brought, actor, exchange, platform);
      return brought.idempotency ? createOnce(operation, call, brought.idempotency, platform) : operation.run(call);
    },
  }));
}

/** A change waits for the disk, and all else in the process with it: one account's members must not keep the others' callers waiting. */
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
    ...(showCreated && { requestHeaders: { "idempotency-key": "Your name for this creation. The same one again makes nothing new." } }),
    ...(requestHeaders && { requestHeaders }),
    replies: {
      ...(repeated !== undefined && { 200: { ...success, description: repeated } }),
      [status]: success,
      ...errorRepliesOf(operation),
    },
  };
}

const REPLAYED = "What an earlier call with the same `Idempotency-Key` created. Secrets are null: they were in the first reply only.";

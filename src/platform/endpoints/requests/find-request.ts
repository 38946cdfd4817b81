import { mayAccess, type Actor } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import type { Platform } from "../../platform.ts";

/** A request that the actor may see. A request of another account is reported as not found. */
export async function findRequest(requestId: string, actor: Actor, { requestLog }: Platform): Promise<LoggedRequest> {
  const request = await requestLog.find(requestId);
  if (request && canSee(request, actor)) return request;
  throw new ApiError("unknown_request", "The request log has no request with this id. It may be too old, or still in flight.");
}

/** A request without a valid key belongs to no account, and is shown to operators only. */
export function canSee({ accountId }: LoggedRequest, actor: Actor): boolean {
  return accountId === null ? actor.role === "operator" : mayAccess(actor, accountId);
}

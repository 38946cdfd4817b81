import type { Exchange } from "../../http/endpoint.ts";
import { hideSecrets } from "../../http/hide-secrets.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { EXPLANATION_TYPE } from "../../requests/chat-headers.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { assess, type Assessment } from "../admission/assess.ts";
import { readTimeout } from "../routing/caller-deadline.ts";
import { Claim } from "../idempotency/idempotency-lock.ts";
import { viewExplanation } from "./dry-run-report.ts";
import type { Gateway } from "../gateway.ts";
import { findEarlier } from "../idempotency/idempotency.ts";
import { checkLimits, limitScopes } from "../admission/rate-limits.ts";
import { planRoutes, type RoutePlan } from "./plan-routes.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

/** Whether the caller only asks what would happen. */
export function isDryRun(headers: HeaderFields): boolean {
  const value = headers.get("x-dry-run")?.trim().toLowerCase() ?? "0";
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw new GatewayError("invalid_value", "The header x-dry-run must be 1 or 0.", { param: "x-dry-run" });
}

/**
 * Tells what would become of a request, without a call and without a charge. It goes the way that the request would go, through the
 * same functions, and takes, writes and claims nothing, so that the request itself finds everything as it was explained. For the same
 * reason it does not count against limits; it costs no more than a request that is refused, and those do not count either.
 */
export function explain(caller: KeyRecord, chat: ChatRequest, exchange: Exchange, gateway: Gateway): Reply {
  const { request, notes } = exchange;
  notes.isDryRun = true;
  const found: Partial<Assessment> = {};
  let replayed: string | undefined;
  let routes: RoutePlan | undefined;
  let refusal = refusalIn(() => {
    readTimeout(request.headers);
    const earlier = findEarlier(caller, chat, request.headers, gateway);
    if (earlier && !(earlier instanceof Claim)) replayed = earlier.requestId;
    else {
      const assessment = assess({ caller, chat, headers: request.headers }, gateway, (news) => Object.assign(found, news));
      const { account, tokens } = Object.assign(found, assessment);
      checkLimits(limitScopes(caller, account), tokens, gateway);
    }
  });
  // Where a request would go is worth knowing too where it cannot be paid for.
  if (found.findUpstream && !found.cache?.kept) {
    routes = planRoutes(chat, { model: found.model!, findUpstream: found.findUpstream, accountId: caller.accountId }, gateway);
    refusal ??= routes.refusal ?? routes.order[0]!.state.slots.refusal();
  }
  const explanation = viewExplanation({ caller, chat, gateway, found, routes, replayed, refusal });
  return new Reply(hideSecrets(JSON.stringify(explanation)), { headers: { "content-type": EXPLANATION_TYPE } });
}

/** What the caller would hear; undefined where nothing is refused. */
function refusalIn(step: () => void): GatewayError | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

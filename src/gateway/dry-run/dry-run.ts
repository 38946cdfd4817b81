import type { Exchange } from "../../http/endpoint.ts";
import { hideSecrets } from "../../http/hide-secrets.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { DRY_RUN_TYPE } from "../../requests/chat-headers.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { ApiError } from "../../requests/api-error.ts";
import { assess, type Assessment } from "../admission/assess.ts";
import { leaseFor } from "../admission/lease-shortage.ts";
import { allLimitScopes, checkLimits, learnLimits } from "../admission/rate-limits.ts";
import { reauthenticate } from "../authentication/authenticate.ts";
import type { Gateway } from "../gateway.ts";
import { takeUsageReport } from "../key-view/usage-limit.ts";
import { findEarlier } from "../idempotency/idempotency.ts";
import { readSwitch } from "../reading/read-switch.ts";
import type { Target } from "../routing/route-choice.ts";
import { statusOf } from "../routing/route-candidates.ts";
import { limitReached } from "../routing/route-limits.ts";
import { readTimeout } from "../routing/caller-deadline.ts";
import { fallbackConditionOf } from "../routing/fallback-condition.ts";
import { viewDryRun } from "./dry-run-report.ts";
import type { KeyFigures } from "../key-view/key-records.ts";
import { planRoutes, type RoutePlan } from "./plan-routes.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

/** Whether the request is a dry run (`x-dry-run: 1`). */
export function isDryRun(headers: HeaderFields): boolean {
  return readSwitch(headers, "x-dry-run");
}

/**
 * Dry run: reports what would happen to a request, without a call and without a charge. It uses the functions of the real steps, and takes,
 * writes and locks nothing, so that the request itself finds the reported state. It does not count against rate limits: it costs no more
 * than a rejected request, and those do not count either. Only its usage report, which reads the ledger, has a limit of its own.
 */
export async function dryRun(sender: KeyRecord, chat: ChatRequest, exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const { request, notes } = exchange;
  const caller = reauthenticate(sender, exchange, gateway);
  notes.isDryRun = true;
  const assessed: Partial<Assessment> = {};
  let replayed: string | undefined;
  let routes: RoutePlan | undefined;
  let error = await errorIn(async () => {
    readTimeout(request.headers, chat);
    await learnLimits(allLimitScopes(caller, gateway.accountOf(caller), notes.attribution), gateway);
    const earlier = await findEarlier(caller, chat, request.headers, gateway);
    if (earlier) replayed = earlier.requestId;
    else {
      const received = { caller, chat, headers: request.headers, attribution: notes.attribution };
      await leaseFor(received, gateway);
      const assessment = assess(received, gateway, (results) => Object.assign(assessed, results));
      const { account, tokens } = Object.assign(assessed, assessment);
      await checkLimits(allLimitScopes(caller, account, notes.attribution), tokens, gateway);
    }
  });
  // The routes are reported also for a request that cannot be paid for.
  if (assessed.findUpstream && !assessed.cache?.hit) {
    routes = planRoutes(chat, { model: assessed.model!, findUpstream: assessed.findUpstream, accountId: caller.accountId }, gateway);
    const unavailable = routes.error ?? rejectionOf(routes.order[0]!);
    if (unavailable && !hasFallbackFor(unavailable, assessed)) error ??= unavailable;
  }
  const figures = await readFigures(caller, gateway);
  const report = viewDryRun({ caller, chat, attribution: notes.attribution, gateway, assessed, routes, replayed, error, figures });
  return new Reply(hideSecrets(JSON.stringify(report)), { headers: { "content-type": DRY_RUN_TYPE } });
}

function hasFallbackFor(error: ApiError, { fallbacks }: Partial<Assessment>): boolean {
  const condition = fallbackConditionOf(error);
  return condition !== undefined && fallbacks !== undefined && fallbacks.candidates.some(({ on }) => on.includes(condition));
}

/** The first route is rate-limited or full only where all are. */
function rejectionOf(first: Target): ApiError | undefined {
  return statusOf(first) === "rate_limited" ? limitReached("requests or tokens", 0) : first.state.slots.rejection();
}

/** The usage of the key. Undefined where it was asked for too often, or cannot be read: the rest of the report needs none of it. */
async function readFigures(caller: KeyRecord, gateway: Gateway): Promise<KeyFigures | undefined> {
  let figures: KeyFigures | undefined;
  await errorIn(async () => {
    await takeUsageReport("dry-run", caller, gateway);
    figures = await gateway.keyRecords.read(caller, 0, gateway.nowMs());
  });
  return figures;
}

/** The error that the client would receive; undefined where there is none. */
async function errorIn(step: () => Promise<void>): Promise<ApiError | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

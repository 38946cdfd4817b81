import type { KeyRecord } from "../../access/api-key.ts";
import { NO_LIMITS } from "../../money/limits.ts";
import { ApiError, toRetryAfter } from "../../requests/api-error.ts";
import type { LimitScope } from "../../stores/limits/limit-store.ts";
import type { Gateway } from "../gateway.ts";

/** Enough for a page that is refreshed every few seconds. Each report reads the ledger and the request log. */
export const USAGE_REPORTS_PER_MINUTE = 30;

/**
 * Counts a usage report of this key, apart from its requests, or throws a 429. Exact over all processes, as the rate limits of requests are. Those
 * in dry runs are counted apart: a client that makes many of them must not take the reports of the page that shows its usage.
 */
export async function takeUsageReport(kind: "usage" | "dry-run", { id }: KeyRecord, { limits, monotonicMs }: Gateway): Promise<void> {
  const scope: LimitScope = { kind: "key", id: `${id}/${kind}`, limits: { ...NO_LIMITS, requestsPerMinute: USAGE_REPORTS_PER_MINUTE } };
  const taken = await limits.take([scope], 0, monotonicMs());
  if ("undo" in taken) return taken.end(0);
  const seconds = toRetryAfter(taken.waitMs / 1000);
  const message = `This key has reached its limit of ${USAGE_REPORTS_PER_MINUTE} usage reports per minute. Please try again in ${seconds}s.`;
  throw new ApiError("rate_limit_exceeded", message, { retryAfterSeconds: seconds });
}

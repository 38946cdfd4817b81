import { namesOf } from "../../../lib/schema/infer.ts";
import { operators } from "../../../access/access.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { formatDollars, type Nanos } from "../../../money/money.ts";
import type { CostedMeasures } from "../../../stores/ledger/ledger-record-store.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { reportUsage, usageQuery } from "./show-usage.ts";
import { groupSchemas, reportSchema } from "./usage-view.ts";

const measures = {
  requests: { type: "integer", description: "Charged requests." },
  charged: { type: "string", description: "The charges for all of them, in dollars." },
  unknown_requests: {
    type: "integer",
    description: "The requests whose upstream cost is not known. They are in `requests` and `charged`, and not in the fields below.",
  },
  sold: { type: "string", description: "The charges for the requests whose upstream cost is known, in dollars." },
  upstream_cost: { type: "string", nullable: true, description: "What providers charge for those, in dollars; null where none is known." },
  margin: { type: "string", nullable: true, description: "`sold` minus `upstream_cost`, in dollars; null where no cost is known." },
  margin_percent: {
    type: "number",
    nullable: true,
    description: "The margin in percent of `sold`, with two decimals; null where nothing was sold or no cost is known.",
  },
} as const satisfies Record<string, Schema>;

const rowSchema = {
  title: "MarginRow",
  type: "object",
  required: namesOf(measures),
  properties: { ...groupSchemas, ...measures },
} as const satisfies Schema;

/** GET /api/margin: what accounts were charged, and what providers charge for it. For operators only: members must not see upstream costs. */
export function showMargin(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/margin",
    access: operators("usage:read"),
    operationId: "showMargin",
    summary: "Compare charges with upstream costs by account, model, upstream, key, end user, conversation, tag, hour or day",
    query: usageQuery,
    isThrottled: true,
    reply: {
      status: 200,
      description: "A page of rows by time, then by name or cost. Hours and days without usage have none.",
      json: reportSchema("Margin", rowSchema, measures),
    },
    run: (call) => reportUsage(call, viewMargin, platform),
  });
}

function viewMargin(of: CostedMeasures) {
  const { requests, costNanos, costedRequests, costedNanos, upstreamCostNanos } = of;
  const isKnown = costedRequests > 0;
  return {
    requests,
    charged: formatDollars(costNanos),
    unknown_requests: requests - costedRequests,
    sold: formatDollars(costedNanos),
    upstream_cost: isKnown ? formatDollars(upstreamCostNanos) : null,
    margin: isKnown ? formatDollars(costedNanos - upstreamCostNanos) : null,
    margin_percent: isKnown && costedNanos > 0n ? percentOf(costedNanos - upstreamCostNanos, costedNanos) : null,
  };
}

/** With two decimals. The amounts may exceed the exact range of a number, their ratio does not. */
function percentOf(part: Nanos, whole: Nanos): number {
  return Number((part * 10_000n) / whole) / 100;
}

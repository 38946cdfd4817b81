import { members, reaches } from "../../../access/access.ts";
import type { RequestRecord } from "../../../stores/ledger/ledger-store.ts";
import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import { formatDollars } from "../../../money/money.ts";
import type { Price } from "../../../money/price.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { usageSchema, usageToWire } from "../../../money/usage.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { timeSchema, viewTime } from "../fields/times.ts";
import { viewPrice } from "../../../money/view-price.ts";
import { priceSchema } from "../models/price-view.ts";
import { receiptLines } from "./receipt-lines.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";

const dollars: Schema = { type: "string", nullable: true, description: "Dollars; null while it is not known." };

const failedAttemptSchema: Schema = {
  title: "FailedAttempt",
  type: "object",
  required: ["upstream", "model", "fault", "duration_ms", "detail"],
  properties: {
    upstream: { type: "string" },
    model: { type: "string", description: "The upstream's name for it." },
    fault: { type: "string", enum: ["unreachable", "busy", "credential", "failed", "slow", "broken", "unsupported"] },
    duration_ms: { type: "integer" },
    detail: { type: "string" },
  },
};

const receiptSchema: Schema = {
  title: "Receipt",
  type: "object",
  required: ["request_id", "account", "key", "model", "state", "started_at", "held", "lines"],
  properties: {
    request_id: { type: "string" },
    account: { type: "string" },
    key: { type: "string" },
    model: { type: "string" },
    state: { type: "string", enum: ["open", "settled", "released"] },
    started_at: timeSchema,
    ended_at: { ...timeSchema, nullable: true },
    reason: { type: "string", nullable: true, description: "How it ended." },
    held: { type: "string", description: "What was set aside, in dollars." },
    held_for: { type: "string", description: "What it was set aside for; with media, also how the tokens of the prompt were derived." },
    charged: dollars,
    uncharged: { ...dollars, description: "What was spared, in dollars; null while it is not known." },
    price: { ...priceSchema, title: "PriceOrNull", nullable: true },
    usage: { ...usageSchema, title: "UsageOrNull", nullable: true },
    provenance: { type: "string", nullable: true, enum: ["measured", "partial", "estimated"] },
    upstream: { type: "string", nullable: true, description: "Where it was served. Shown to operators." },
    upstream_model: {
      type: "string",
      nullable: true,
      description: "The upstream's name for the model; null for an answer that was given again. Shown to operators.",
    },
    attempts: { type: "integer", nullable: true },
    failed_attempts: {
      type: "array",
      description: "The tries that did not answer. Nobody is charged for them. Shown to operators.",
      items: failedAttemptSchema,
    },
    lines: {
      type: "array",
      items: {
        title: "ReceiptLine",
        type: "object",
        required: ["kind", "tokens", "per_million", "cost"],
        properties: {
          kind: { type: "string", enum: ["input", "cached_input", "cache_write", "output", "reasoning"] },
          tokens: { type: "integer" },
          per_million: { type: "number" },
          cost: { type: "string", description: "Dollars, exact: only the sum of the lines is rounded." },
        },
      },
    },
  },
};

/** GET /api/receipts/:requestId: what a request cost, and why. */
export function showReceipt(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/receipts/:requestId",
    access: members("usage:read"),
    operationId: "showReceipt",
    summary: "Shows what a request cost, and why.",
    reply: { status: 200, description: "The receipt.", json: receiptSchema },
    run({ actor, param }) {
      const record = platform.ledger.findRequest(param("requestId"));
      if (!record || !reaches(actor, record.hold.accountId)) throw unknownRequest();
      const { upstream, upstream_model, failed_attempts, ...receipt } = viewReceipt(
        record,
        platform.ledger.price(record.hold.priceVersion),
      );
      return Reply.json(actor.role === "operator" ? { ...receipt, upstream, upstream_model, failed_attempts } : receipt);
    },
  });
}

function unknownRequest(): GatewayError {
  const message = "The ledger knows no request with this id. One that was refused, or answered from what was kept, is not in it.";
  return new GatewayError("unknown_request", message);
}

function viewFailedAttempt({ upstream, upstreamModel, fault, durationMs, detail }: FailedAttempt): Record<string, unknown> {
  return { upstream, model: upstreamModel, fault, duration_ms: durationMs, detail };
}

/** What is not known yet of a request under way is null. */
function viewReceipt({ hold, closing }: RequestRecord, price: Price | undefined): Record<string, unknown> {
  const settle = closing?.kind === "settle" ? closing : undefined;
  const inEffect = closing && (settle ?? { amountNanos: 0n, unchargedNanos: 0n });
  return {
    request_id: hold.requestId,
    account: hold.accountId,
    key: hold.keyId,
    model: hold.model,
    state: closing ? (settle ? "settled" : "released") : "open",
    started_at: viewTime(hold.atMs),
    ended_at: closing ? viewTime(closing.atMs) : null,
    reason: closing?.reason ?? null,
    held: formatDollars(hold.amountNanos),
    held_for: hold.reason,
    charged: inEffect ? formatDollars(inEffect.amountNanos) : null,
    uncharged: inEffect ? formatDollars(inEffect.unchargedNanos) : null,
    price: price ? viewPrice(price) : null,
    usage: settle ? usageToWire(settle.usage) : null,
    provenance: settle?.provenance ?? null,
    upstream: settle?.upstream ?? null,
    upstream_model: settle?.upstreamModel ?? null,
    attempts: settle?.attempts ?? null,
    failed_attempts: (closing?.failedAttempts ?? []).map(viewFailedAttempt),
    lines: settle && price ? receiptLines(settle.usage, price) : [],
  };
}

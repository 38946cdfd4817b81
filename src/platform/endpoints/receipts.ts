import { formatPicos, formatDollars } from "../../money/money.ts";
import { multiplied, ratesOf, valueOf, type Price } from "../../money/price.ts";
import { NO_PREMIUM, type Usage, usageSchema, usageToWire } from "../../money/usage.ts";
import { perMillion, viewPrice } from "../../money/view-price.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import { members, mayAccess } from "../../access/access.ts";
import type { RequestRecord } from "../../stores/ledger/ledger-record-store.ts";
import type { FailedAttempt } from "../../money/failed-attempt.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { operation, type Operation } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { attributionSchemas, viewAttributionOf, timeSchema, viewTime } from "./fields.ts";
import { priceSchema } from "./model-view.ts";

/** One kind of tokens on a receipt. */
interface ReceiptLine {
  readonly kind: "input" | "cached_input" | "cache_write" | "cache_write_1h" | "output" | "reasoning";
  readonly tokens: number;
  /** With the multipliers of the request. */
  readonly per_million: number;
  /** Exact dollars: only the sum of the lines is rounded, once. */
  readonly cost: string;
}

/** The counted kinds of tokens, each with the rate of the tier that applied. Their sum is the cost of the response. */
function receiptLines(usage: Usage, price: Price): ReceiptLine[] {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens, premium } = usage;
  const { hourWriteTokens, multipliers } = premium ?? NO_PREMIUM;
  const rates = ratesOf(usage, price);
  const kinds: [ReceiptLine["kind"], number, bigint][] = [
    ["input", promptTokens - cachedTokens - cacheWriteTokens, rates.inputPicos],
    ["cached_input", cachedTokens, rates.cachedInputPicos],
    ["cache_write", cacheWriteTokens - hourWriteTokens, rates.cacheWritePicos],
    ["cache_write_1h", hourWriteTokens, rates.cacheWriteHourPicos ?? rates.cacheWritePicos],
    ["output", completionTokens - reasoningTokens, rates.outputPicos],
    ["reasoning", reasoningTokens, rates.reasoningPicos],
  ];
  return kinds
    .filter(([, tokens]) => tokens > 0)
    .map(([kind, tokens, rate]) => ({
      kind,
      tokens,
      per_million: perMillion(multiplied(rate, multipliers, price)),
      cost: formatPicos(multiplied(BigInt(tokens) * rate, multipliers, price)),
    }));
}

/** The fees for tools that ran at the provider, which are not part of the lines. */
function toolLines({ premium }: Usage, { toolFees }: Price) {
  return Object.entries(premium?.toolCalls ?? {}).map(([tool, calls]) => {
    const fee = valueOf(toolFees, tool) ?? 0n;
    return { tool, calls, fee: formatPicos(fee), cost: formatPicos(BigInt(calls) * fee) };
  });
}

const dollars = { type: "string", nullable: true, description: "Dollars; null while the request is in flight." } as const satisfies Schema;

const failedAttemptSchema = {
  title: "FailedAttempt",
  type: "object",
  required: ["upstream", "model", "fault", "duration_ms", "detail"],
  properties: {
    upstream: { type: "string" },
    model: { type: "string", description: "The upstream model." },
    fault: { type: "string", enum: ["unreachable", "proxy", "busy", "credential", "failed", "slow", "broken", "unsupported", "refused"] },
    duration_ms: { type: "integer" },
    detail: { type: "string" },
  },
} as const satisfies Schema;

const receiptSchema = {
  title: "Receipt",
  type: "object",
  required: [
    "request_id",
    "account",
    "key",
    "model",
    "requested_model",
    "user",
    "tags",
    "conversation",
    "endpoint",
    "state",
    "started_at",
    "ended_at",
    "reason",
    "held",
    "hold_reason",
    "charged",
    "uncharged",
    "price",
    "usage",
    "provenance",
    "attempts",
    "lines",
    "tools",
    "multipliers",
  ],
  properties: {
    request_id: { type: "string" },
    account: { type: "string" },
    key: { type: "string" },
    model: { type: "string", description: "The model that answered, by whose price the request is charged." },
    requested_model: { type: "string", description: "The model that the caller requested: a different one if a fallback answered." },
    ...attributionSchemas,
    state: { type: "string", enum: ["open", "settled", "released"] },
    started_at: timeSchema,
    ended_at: { ...timeSchema, nullable: true },
    reason: { type: "string", nullable: true, description: "The reason for the settlement or release." },
    held: { type: "string", description: "The reserved amount, in dollars." },
    hold_reason: { type: "string", description: "The basis of the hold; for media also the derivation of the prompt tokens." },
    charged: dollars,
    uncharged: { ...dollars, description: "The part of the cost that was not charged, in dollars; null while the request is in flight." },
    price: { ...priceSchema, title: "PriceOrNull", nullable: true },
    derived_from: {
      title: "PriceDerivation",
      type: "object",
      nullable: true,
      description:
        "The price that `price` is a percentage of: the base price for a price list, the usual price for a cached response. Null for others. Shown to operators.",
      required: ["percent", "price"],
      properties: { percent: { type: "integer" }, price: { ...priceSchema, title: "PriceOrNull", nullable: true } },
    },
    usage: { ...usageSchema, title: "UsageOrNull", nullable: true },
    provenance: { type: "string", nullable: true, enum: ["measured", "partial", "estimated"] },
    upstream: { type: "string", nullable: true, description: "The upstream that served the request. Shown to operators." },
    upstream_model: {
      type: "string",
      nullable: true,
      description: "The upstream model; null for a cached response. Shown to operators.",
    },
    upstream_cost: {
      type: "string",
      nullable: true,
      description: "What the provider charges for the usage, in dollars; null if that is not known. Shown to operators.",
    },
    attempts: { type: "integer", nullable: true },
    failed_attempts: {
      type: "array",
      description: "Failed attempts at upstreams, and refused ones before a fallback, which are not charged. Shown to operators.",
      items: failedAttemptSchema,
    },
    lines: {
      type: "array",
      items: {
        title: "ReceiptLine",
        type: "object",
        required: ["kind", "tokens", "per_million", "cost"],
        properties: {
          kind: { type: "string", enum: ["input", "cached_input", "cache_write", "cache_write_1h", "output", "reasoning"] },
          tokens: { type: "integer" },
          per_million: { type: "number", description: "With the multipliers of the request." },
          cost: { type: "string", description: "Exact dollars: only the sum of the lines is rounded." },
        },
      },
    },
    tools: {
      type: "array",
      description: "The fees for tools that ran at the provider.",
      items: {
        title: "ReceiptTool",
        type: "object",
        required: ["tool", "calls", "fee", "cost"],
        properties: {
          tool: { type: "string" },
          calls: { type: "integer" },
          fee: { type: "string", description: "Dollars for each call." },
          cost: { type: "string", description: "Exact dollars." },
        },
      },
    },
    multipliers: { type: "array", items: { type: "string" }, description: "The options that multiplied the rates, such as `fast`." },
  },
} as const satisfies Schema;

/** GET /api/receipts/:requestId: the cost of a request and how it was computed. */
export function showReceipt(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/receipts/:requestId",
    access: members("usage:read"),
    operationId: "showReceipt",
    summary: "Show the cost of a request and how it was computed",
    reply: { status: 200, description: "The receipt.", json: receiptSchema },
    async run({ actor, param }) {
      const record = await platform.ledgerRecords.findRequest(param("requestId"));
      if (!record || !mayAccess(actor, record.hold.accountId)) throw unknownRequest();
      const price = await platform.ledgerRecords.price((record.closing ?? record.hold).priceVersion);
      const { upstream, upstream_model, upstream_cost, failed_attempts, ...receipt } = viewReceipt(record, price);
      if (actor.role !== "operator") return receipt;
      const derived_from = await viewDerivation(price, platform);
      return { ...receipt, derived_from, upstream, upstream_model, upstream_cost, failed_attempts };
    },
  });
}

/** Members see only the prices of their own list. */
async function viewDerivation(price: Price | undefined, { ledgerRecords }: Platform) {
  if (!price?.derivedFrom) return null;
  const { percent, version } = price.derivedFrom;
  const whole = await ledgerRecords.price(version);
  return { percent, price: whole ? viewPrice(whole) : null };
}

function unknownRequest(): ApiError {
  const message = "The ledger has no request with this id. Rejected requests and idempotent replays are not in it.";
  return new ApiError("unknown_request", message);
}

function viewFailedAttempt({ upstream, upstreamModel, fault, durationMs, detail }: FailedAttempt) {
  return { upstream, model: upstreamModel, fault, duration_ms: durationMs, detail };
}

/** Unknown values of a request in flight are null. */
function viewReceipt({ hold, closing }: RequestRecord, price: Price | undefined) {
  const settle = closing?.kind === "settle" ? closing : undefined;
  const state: Infer<typeof receiptSchema>["state"] = closing ? (settle ? "settled" : "released") : "open";
  const inEffect = closing && (settle ?? { amountNanos: 0n, unchargedNanos: 0n });
  return {
    request_id: hold.requestId,
    account: hold.accountId,
    key: hold.keyId,
    model: (closing ?? hold).model,
    requested_model: hold.model,
    ...viewAttributionOf((closing ?? hold).attribution),
    state,
    started_at: viewTime(hold.atMs),
    ended_at: closing ? viewTime(closing.atMs) : null,
    reason: closing?.reason ?? null,
    held: formatDollars(hold.amountNanos),
    hold_reason: hold.reason,
    charged: inEffect ? formatDollars(inEffect.amountNanos) : null,
    uncharged: inEffect ? formatDollars(inEffect.unchargedNanos) : null,
    price: price ? viewPrice(price) : null,
    usage: settle ? usageToWire(settle.usage) : null,
    provenance: settle?.provenance ?? null,
    upstream: settle?.upstream ?? null,
    upstream_model: settle?.upstreamModel ?? null,
    upstream_cost: settle?.upstreamCostNanos === undefined ? null : formatDollars(settle.upstreamCostNanos),
    attempts: settle?.attempts ?? null,
    failed_attempts: (closing?.failedAttempts ?? []).map(viewFailedAttempt),
    lines: settle && price ? receiptLines(settle.usage, price) : [],
    tools: settle && price ? toolLines(settle.usage, price) : [],
    multipliers: settle?.usage.premium?.multipliers ?? [],
  };
}

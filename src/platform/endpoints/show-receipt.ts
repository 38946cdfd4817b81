import type { Endpoint } from "../../http/endpoint.ts";
import type { RequestRecord } from "../../stores/ledger/ledger-store.ts";
import { GatewayError } from "../../vocabulary/gateway-error.ts";
import { formatDollars } from "../../vocabulary/money.ts";
import type { Price } from "../../vocabulary/price.ts";
import { usageToWire } from "../../vocabulary/usage.ts";
import type { Platform } from "../platform.ts";
import { viewPrice } from "./price-view.ts";
import { receiptLines } from "./receipt-lines.ts";

/** GET /api/receipts/:requestId: what a request cost, and why. */
export function showReceipt(platform: Platform): Endpoint {
  return {
    method: "GET",
    path: "/api/receipts/:requestId",
    handle({ request }) {
      const record = platform.ledger.findRequest((request.params as { requestId: string }).requestId);
      if (!record)
        throw new GatewayError(
          "unknown_request",
          "The ledger knows no request with this id. One that was refused, or answered from what was kept, is not in it.",
        );
      return Response.json(viewReceipt(record, platform.ledger.price(record.hold.priceVersion)));
    },
  };
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
    started_at: new Date(hold.atMs).toISOString(),
    ended_at: closing ? new Date(closing.atMs).toISOString() : null,
    reason: closing?.reason ?? null,
    held: formatDollars(hold.amountNanos),
    charged: inEffect ? formatDollars(inEffect.amountNanos) : null,
    uncharged: inEffect ? formatDollars(inEffect.unchargedNanos) : null,
    price: price ? viewPrice(price) : null,
    usage: settle ? usageToWire(settle.usage) : null,
    provenance: settle?.provenance ?? null,
    upstream: settle?.upstream ?? null,
    attempts: settle?.attempts ?? null,
    lines: settle && price ? receiptLines(settle.usage, price) : [],
  };
}

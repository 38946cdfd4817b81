import type { Exchange } from "../http/endpoint.ts";
import type { KeptAnswer } from "../stores/ledger/ledger-store.ts";
import type { KeyRecord } from "../vocabulary/api-key.ts";
import type { ChatRequest } from "../vocabulary/chat-request.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import { formatDollars } from "../vocabulary/money.ts";
import { authenticateAgain } from "./authenticate.ts";
import { Claim } from "./claim.ts";
import type { Gateway } from "./gateway.ts";

/**
 * Answers a request that may be another's second try. Under the same `Idempotency-Key` the same body is answered, and charged,
 * once: a later one gets the answer that was kept, one that comes meanwhile waits for it. A failure is not kept: trying again is
 * what it is for.
 */
export async function answerOnce(
  caller: KeyRecord,
  chat: ChatRequest,
  exchange: Exchange,
  gateway: Gateway,
  answer: (claim: Claim | undefined) => Promise<Response>,
): Promise<Response> {
  const idempotencyKey = readIdempotencyKey(exchange.request.headers);
  if (idempotencyKey === undefined) return answer(undefined);
  const scope = `${caller.id}:${idempotencyKey}`;
  const digest = new Bun.CryptoHasher("sha256").update(chat.text).digest("hex");
  for (;;) {
    // What was kept, too, is only for a key that is still good: its body, or the one before it, may have taken a while.
    authenticateAgain(caller, exchange, gateway);
    const kept = gateway.ledger.findAnswer(scope, gateway.nowMs());
    if (kept) return replay(kept, digest, exchange);
    const running = gateway.claims.get(scope);
    if (!running) break;
    refuseOtherBody(running.digest, digest);
    await running.ended;
  }
  const claim = new Claim(scope, digest, exchange.requestId, gateway.nowMs());
  gateway.claims.set(scope, claim);
  void claim.ended.then(() => gateway.claims.delete(scope));
  try {
    return await answer(claim);
  } catch (error) {
    claim.end();
    throw error;
  }
}

function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (/^[!-~]{1,255}$/.test(key)) return key;
  throw new GatewayError("invalid_value", "The header Idempotency-Key must have 1 to 255 characters of ASCII without spaces.", {
    param: "Idempotency-Key",
  });
}

function replay(kept: KeptAnswer, digest: string, { facts }: Exchange): Response {
  refuseOtherBody(kept.digest, digest);
  if (kept.body === undefined) {
    const message = `This Idempotency-Key was answered as ${kept.requestId}, and the answer was too large to keep. Ask again under another key.`;
    throw new GatewayError("invalid_value", message, { param: "Idempotency-Key" });
  }
  facts["replayed"] = kept.requestId;
  // What is given again costs nothing: whoever adds these headers up must come to what was charged.
  const headers = { ...kept.headers, "x-tollgate-cost": formatDollars(0n), "x-tollgate-replayed": kept.requestId };
  return new Response(kept.body, { headers });
}

function refuseOtherBody(first: string, now: string): void {
  if (first === now) return;
  const message = "This Idempotency-Key was used with another request body. Use a new key for a new request.";
  throw new GatewayError("invalid_value", message, { param: "Idempotency-Key" });
}

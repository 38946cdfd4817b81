import type { Exchange } from "../../http/endpoint.ts";
import type { IdempotentReply } from "../../stores/ledger/ledger-store.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { formatDollars } from "../../money/money.ts";
import { authenticateAgain } from "../authentication/authenticate.ts";
import { Claim } from "./idempotency-lock.ts";
import type { Gateway } from "../gateway.ts";
import { DeadlineExceeded, readTimeout, withinDeadline } from "../routing/caller-deadline.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import type { HeaderFields } from "../../lib/http1/header-fields.ts";

/** Answers a request for the first time. A function that is the same for all of them: a closure for each would cost more. */
type Answer = (caller: KeyRecord, chat: ChatRequest, exchange: Exchange, gateway: Gateway, claim: Claim | undefined) => Promise<Reply>;

/**
 * Answers a request that may be another's second try. Under the same `Idempotency-Key` the same body is answered, and charged,
 * once: a later one gets the answer that was kept, one that comes meanwhile waits for it. A failure is not kept: trying again is
 * what it is for.
 */
export function answerOnce(caller: KeyRecord, chat: ChatRequest, exchange: Exchange, gateway: Gateway, answer: Answer): Promise<Reply> {
  const patienceMs = readTimeout(exchange.request.headers);
  const name = nameOf(caller, chat, exchange.request.headers);
  return name ? answerUnder(name, patienceMs, caller, chat, exchange, gateway, answer) : answer(caller, chat, exchange, gateway, undefined);
}

async function answerUnder(
  name: RequestName,
  patienceMs: number | undefined,
  caller: KeyRecord,
  chat: ChatRequest,
  exchange: Exchange,
  gateway: Gateway,
  answer: Answer,
): Promise<Reply> {
  const { scope, digest } = name;
  for (;;) {
    // What was kept, too, is only for a key that is still good: its body, or the one before it, may have taken a while.
    authenticateAgain(caller, exchange, gateway);
    const earlier = lookUp(name, gateway);
    if (!earlier) break;
    if (!(earlier instanceof Claim)) return replay(earlier, exchange);
    await earlier.ended;
  }
  const claim = new Claim(scope, digest, exchange.requestId, gateway.nowMs(), exchange.request.signal);
  gateway.claims.set(scope, claim);
  void claim.ended.then(() => gateway.claims.delete(scope));
  const replying = answer(caller, chat, exchange, gateway, claim).catch((error: unknown) => {
    claim.end();
    throw error;
  });
  return withinDeadline(replying, patienceMs, exchange.startedAtMs).catch((error: unknown) => {
    if (error instanceof DeadlineExceeded) {
      claim.timeOut();
      exchange.ends = madeToItsEnd(replying, claim, exchange);
      exchange.keepBodyUntil(replying);
    }
    throw error;
  });
}

/** The caller was told that it takes too long. What it is charged is known when the answer is there all the same. */
async function madeToItsEnd(replying: Promise<Reply>, claim: Claim, { notes }: Exchange): Promise<void> {
  await Promise.allSettled([replying, claim.ended]);
  // None of it was sent.
  notes.replyBytes = 0;
  notes.end = undefined;
}

/** What was answered, or is being answered, to an earlier try of this request. Throws where that was of another body. */
export function findEarlier(
  caller: KeyRecord,
  chat: ChatRequest,
  headers: HeaderFields,
  gateway: Gateway,
): IdempotentReply | Claim | undefined {
  const name = nameOf(caller, chat, headers);
  return name && lookUp(name, gateway);
}

/** Whether an earlier try under the `Idempotency-Key` of a request was answered, or is being answered, whatever its body. */
export function hasEarlier(caller: KeyRecord, headers: HeaderFields, { ledger, claims, nowMs }: Gateway): boolean {
  const key = readIdempotencyKey(headers);
  if (key === undefined) return false;
  const scope = scopeOf(caller, key);
  return claims.has(scope) || ledger.findAnswer(scope, nowMs()) !== undefined;
}

/** What all tries of one request have in common. */
interface RequestName {
  readonly scope: string;
  readonly digest: string;
}

function nameOf(caller: KeyRecord, chat: ChatRequest, headers: HeaderFields): RequestName | undefined {
  const idempotencyKey = readIdempotencyKey(headers);
  if (idempotencyKey === undefined) return undefined;
  return { scope: scopeOf(caller, idempotencyKey), digest: new Bun.CryptoHasher("sha256").update(chat.byteText, "latin1").digest("hex") };
}

function scopeOf(caller: KeyRecord, idempotencyKey: string): string {
  return `${caller.id}:${idempotencyKey}`;
}

function lookUp({ scope, digest }: RequestName, { ledger, claims, nowMs }: Gateway): IdempotentReply | Claim | undefined {
  const earlier = ledger.findAnswer(scope, nowMs()) ?? claims.get(scope);
  if (!earlier) return undefined;
  if (earlier.digest !== digest) throw refusal("This Idempotency-Key was used with another request body. Use a new key for a new request.");
  if (!(earlier instanceof Claim) && earlier.body === undefined) {
    throw refusal(
      `This Idempotency-Key was answered as ${earlier.requestId}, and the answer was too large to keep. Ask again under another key.`,
    );
  }
  return earlier;
}

function readIdempotencyKey(headers: HeaderFields): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (/^[!-~]{1,255}$/.test(key)) return key;
  throw refusal("The header Idempotency-Key must have 1 to 255 characters of ASCII without spaces.");
}

function replay(kept: IdempotentReply, { notes }: Exchange): Reply {
  notes.replayed = kept.requestId;
  notes.replyBytes = Buffer.byteLength(kept.body ?? "");
  if (kept.body !== undefined) notes.bodies?.hear(kept.body);
  // What is given again costs nothing: whoever adds these headers up must come to what was charged.
  const headers = { ...kept.headers, "x-tollgate-cost": formatDollars(0n), "x-tollgate-replayed": kept.requestId };
  return new Reply(kept.body ?? null, { headers });
}

function refusal(message: string): GatewayError {
  return new GatewayError("invalid_value", message, { param: "Idempotency-Key" });
}

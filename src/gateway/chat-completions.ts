import type { Exchange } from "../http/endpoint.ts";
import type { KeyRecord } from "../access/api-key.ts";
import type { ChatRequest } from "../requests/chat-request.ts";
import { admit } from "./admission/admit.ts";
import { authenticate, authenticateAgain } from "./authentication/authenticate.ts";
import { callUpstream } from "./routing/call-upstream.ts";
import { chooseRoute } from "./routing/choose-route.ts";
import type { Claim } from "./idempotency/idempotency-lock.ts";
import { explain, isDryRun } from "./dry-run/dry-run.ts";
import type { Gateway } from "./gateway.ts";
import { captureBodies } from "./capture/capture-bodies.ts";
import { serveCached } from "./cache/serve-cached.ts";
import { answerOnce } from "./idempotency/idempotency.ts";
import { storeInCache } from "./cache/store-in-cache.ts";
import { receiveChat } from "./reading/unpaid-uploads.ts";
import { reply } from "./reply/reply.ts";
import { settleFailure } from "./settlement/settle.ts";
import type { Reply } from "../lib/http1/server/reply.ts";

export const CHAT_COMPLETIONS_PATH = "/v1/chat/completions";

/** POST /v1/chat/completions, from the first header to the last byte. Every step throws what the caller should hear. */
export async function chatCompletions(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const { notes } = exchange;
  if (gateway.beginTrace) notes.trace = gateway.beginTrace(exchange.request.headers);
  notes.traceId = notes.trace?.traceId;
  const caller = authenticate(exchange, gateway);
  const received = receiveChat(caller, exchange, gateway);
  const chat = received instanceof Promise ? await received : received;
  notes.trace?.asked(chat);
  captureBodies(caller, chat, exchange, gateway);
  if (isDryRun(exchange.request.headers)) return explain(authenticateAgain(caller, exchange, gateway), chat, exchange, gateway);
  return answerOnce(caller, chat, exchange, gateway, letInAndAnswer);
}

/** From here on something is held for the request, and whatever is thrown ends that. */
async function letInAndAnswer(
  caller: KeyRecord,
  chat: ChatRequest,
  exchange: Exchange,
  gateway: Gateway,
  claim: Claim | undefined,
): Promise<Reply> {
  const admission = await admit(authenticateAgain(caller, exchange, gateway), chat, exchange, gateway);
  claim?.endWith(admission.closed);
  const context = { chat, admission, claim, exchange, gateway };
  try {
    const answer = serveCached(context) ?? storeInCache(callUpstream(chooseRoute(chat, admission, gateway), context), context);
    return await reply(answer, context);
  } catch (error) {
    settleFailure(context, error);
    throw error;
  }
}

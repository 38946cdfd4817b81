import type { Exchange } from "../http/endpoint.ts";
import { admit } from "./admit.ts";
import { authenticate, authenticateAgain } from "./authenticate.ts";
import { callUpstream } from "./call-upstream.ts";
import { chooseRoute } from "./choose-route.ts";
import { explain, isDryRun } from "./explain.ts";
import type { Gateway } from "./gateway.ts";
import { hearBodies } from "./hear-bodies.ts";
import { giveAgain } from "./cache/give-again.ts";
import { answerOnce } from "./idempotency.ts";
import { keepAnswer } from "./cache/keep-answer.ts";
import { readChat } from "./read-chat.ts";
import { reply } from "./reply.ts";
import { settleOnFailure } from "./settle.ts";
import type { Reply } from "../http/reply.ts";

export const CHAT_COMPLETIONS_PATH = "/v1/chat/completions";

/** POST /v1/chat/completions, from the first header to the last byte. Every step throws what the caller should hear. */
export async function chatCompletions(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const { notes } = exchange;
  if (gateway.beginTrace) notes.trace = gateway.beginTrace(exchange.request.headers);
  notes.traceId = notes.trace?.traceId;
  const caller = authenticate(exchange, gateway);
  const chat = await readChat(exchange, gateway);
  notes.trace?.asked(chat);
  hearBodies(caller, chat, exchange, gateway);
  if (isDryRun(exchange.request.headers)) return explain(authenticateAgain(caller, exchange, gateway), chat, exchange, gateway);
  return answerOnce(caller, chat, exchange, gateway, async (claim) => {
    const admission = await admit(authenticateAgain(caller, exchange, gateway), chat, exchange, gateway);
    if (claim) void admission.closed.then(() => claim.end());
    const context = { chat, admission, claim, exchange, gateway };
    return settleOnFailure(context, async () => {
      const answer = giveAgain(context) ?? keepAnswer(callUpstream(chooseRoute(chat, admission, gateway), context), context);
      return reply(answer, context);
    });
  });
}

import type { Exchange } from "../http/endpoint.ts";
import { admit } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { callUpstream } from "./call-upstream.ts";
import { chooseRoute } from "./choose-route.ts";
import type { Gateway } from "./gateway.ts";
import { readChat } from "./read-chat.ts";
import { reply } from "./reply.ts";

/** POST /v1/chat/completions, from the first header to the last byte. Every step throws what the caller should hear. */
export async function chatCompletions(exchange: Exchange, gateway: Gateway): Promise<Response> {
  const caller = authenticate(exchange, gateway);
  const chat = await readChat(exchange, gateway);
  const model = admit(caller, chat, exchange, gateway);
  const route = chooseRoute(model, exchange, gateway);
  const answer = callUpstream(route, chat, exchange);
  return reply(answer, model, exchange, gateway);
}

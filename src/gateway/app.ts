import type { Endpoint } from "../http/endpoint.ts";
import { chunkSchema, completionSchema } from "../vocabulary/chat-completion.ts";
import { CHAT_REQUEST_HEADERS } from "../vocabulary/chat-headers.ts";
import { chatRequestSchema } from "../vocabulary/chat-request.ts";
import { errorBodySchema } from "../vocabulary/gateway-error.ts";
import { CHAT_COMPLETIONS_PATH, chatCompletions } from "./chat-completions.ts";
import { EXPLANATION_TYPE } from "./explanation/explanation.ts";
import { explanationSchema } from "./explanation/explanation-schema.ts";
import type { Gateway } from "./gateway.ts";
import { listModels, modelListSchema } from "./list-models.ts";
import { Reply } from "../http/reply.ts";
import { showReadiness } from "./readiness.ts";

const refusal = (description: string): { description: string; json: typeof errorBodySchema } => ({ description, json: errorBodySchema });

const RECEIPT_HEADERS = {
  "x-tollgate-cost": "What a JSON answer cost, in dollars.",
  "x-tollgate-provenance": "Where its token counts come from: `measured`, `partial` or `estimated`.",
  "x-tollgate-price-version": "The version of the price it was charged by.",
  "x-tollgate-prompt-derivation": "How the prompt was estimated, where it was and has media.",
  "x-tollgate-max-tokens": "The limit that was put on the answer, where it is not the caller's own.",
  "x-tollgate-upstream": "The upstream that answered, or was tried last. Operators can turn it off.",
  "x-tollgate-attempts": "How many tries that took. Operators can turn it off.",
  "x-tollgate-dropped": "Parameters of the request that this model's upstream does not know, and that were left out.",
  "x-tollgate-cache": "Of a model that keeps its answers: `hit` for one that was kept, `miss` for one that was made.",
  "x-tollgate-replayed": "The request that was answered first under this Idempotency-Key.",
};

const LIMIT_HEADERS = {
  "x-ratelimit-limit-requests": "Requests a minute that the key may make, where that is limited.",
  "x-ratelimit-remaining-requests": "How many of them are left.",
  "x-ratelimit-reset-requests": "When none will be counted any more: a duration such as `12.5s` or `1m0s`.",
  "x-ratelimit-limit-tokens": "The same for tokens.",
  "x-ratelimit-remaining-tokens": "The same for tokens.",
  "x-ratelimit-reset-tokens": "The same for tokens.",
};

/** Everything that model-calling clients can reach. */
export function gatewayEndpoints(gateway: Gateway): Endpoint[] {
  return [
    {
      method: "POST",
      path: CHAT_COMPLETIONS_PATH,
      contract: {
        operationId: "createChatCompletion",
        summary: "Creates a chat completion.",
        request: chatRequestSchema,
        requestHeaders: CHAT_REQUEST_HEADERS,
        replyHeaders: { ...RECEIPT_HEADERS, ...LIMIT_HEADERS },
        replies: {
          200: {
            description: "The completion, or with `stream: true` a stream of its chunks; with `x-dry-run: 1` what would happen.",
            json: completionSchema,
            events: chunkSchema,
            others: { [EXPLANATION_TYPE]: explanationSchema },
          },
          400: refusal("The request is wrong; `param` names the field."),
          401: refusal("No valid key."),
          402: refusal("Not enough credit."),
          403: refusal("The key may not call this model."),
          413: refusal("The request is too large."),
          415: refusal("The request body is not JSON."),
          429: refusal("Too many requests or tokens; `Retry-After` says when to try again."),
          500: refusal("The gateway failed."),
          502: refusal("The upstream failed."),
          503: refusal("Nothing can serve this at the moment; `Retry-After` says when to try again."),
          504: refusal("The upstream took too long."),
        },
      },
      handle: (exchange) => chatCompletions(exchange, gateway),
    },
    {
      method: "GET",
      path: "/v1/models",
      contract: {
        operationId: "listModels",
        summary: "Lists the models the calling key is allowed to call.",
        replyHeaders: LIMIT_HEADERS,
        replies: {
          200: { description: "The models.", json: modelListSchema },
          401: refusal("No valid key."),
          500: refusal("The gateway failed."),
        },
      },
      handle: (exchange) => listModels(exchange, gateway),
    },
    { method: "GET", path: "/healthz", isProbe: true, handle: () => Reply.json({ status: "ok" }) },
    { method: "GET", path: "/readyz", isProbe: true, handle: (exchange) => showReadiness(exchange, gateway) },
  ];
}

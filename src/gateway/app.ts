import type { Endpoint } from "../http/endpoint.ts";
import { chunkSchema, completionSchema } from "../vocabulary/chat-completion.ts";
import { chatRequestSchema } from "../vocabulary/chat-request.ts";
import { errorBodySchema } from "../vocabulary/gateway-error.ts";
import { chatCompletions } from "./chat-completions.ts";
import type { Gateway } from "./gateway.ts";
import { listModels, modelListSchema } from "./list-models.ts";

const refusal = (description: string): { description: string; json: typeof errorBodySchema } => ({ description, json: errorBodySchema });

/** Everything that model-calling clients can reach. */
export function gatewayEndpoints(gateway: Gateway): Endpoint[] {
  return [
    {
      method: "POST",
      path: "/v1/chat/completions",
      contract: {
        operationId: "createChatCompletion",
        summary: "Creates a chat completion.",
        request: chatRequestSchema,
        replies: {
          200: {
            description: "The completion, or with `stream: true` a stream of its chunks.",
            json: completionSchema,
            events: chunkSchema,
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
        replies: {
          200: { description: "The models.", json: modelListSchema },
          401: refusal("No valid key."),
          500: refusal("The gateway failed."),
        },
      },
      handle: (exchange) => listModels(exchange, gateway),
    },
    { method: "GET", path: "/healthz", isProbe: true, handle: () => Response.json({ status: "ok" }) },
    { method: "GET", path: "/readyz", isProbe: true, handle: () => Response.json({ status: "ready" }) },
  ];
}

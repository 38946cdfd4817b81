import type { Endpoint } from "../http/endpoint.ts";
import { chatCompletions } from "./chat-completions.ts";
import type { Gateway } from "./gateway.ts";
import { listModels, showModel } from "./model-list/list-models.ts";

/** LiteLLM reads a key from these, too. */
export const LITELLM_KEY_HEADERS = ["x-api-key", "api-key"] as const;

/** IDs of models may have slashes. */
const ID_PATHS = [":1", ":1/:2", ":1/:2/:3", ":1/:2/:3/:4"];

/** What LiteLLM serves beside the two endpoints of the public interface, with `compatibility: litellm`. They are in no OpenAPI document. */
export function litellmEndpoints(gateway: Gateway): Endpoint[] {
  const show: Endpoint["handle"] = (exchange) => showModel(Object.values(exchange.request.params).join("/"), exchange, gateway);
  return [
    { method: "POST", path: "/chat/completions", handle: (exchange) => chatCompletions(exchange, gateway) },
    { method: "GET", path: "/models", handle: (exchange) => listModels(exchange, gateway) },
    ...ID_PATHS.flatMap((id): Endpoint[] => [
      { method: "GET", path: `/v1/models/${id}`, handle: show },
      { method: "GET", path: `/models/${id}`, handle: show },
    ]),
  ];
}

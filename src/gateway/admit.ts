import type { Exchange } from "../http/endpoint.ts";
import type { KeyRecord } from "../vocabulary/api-key.ts";
import { isCovered, mayCall, type Model } from "../vocabulary/catalog.ts";
import type { ChatRequest } from "../vocabulary/chat-request.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Gateway } from "./gateway.ts";

/** The model this key is let through to. A model that is not there and one that is not allowed are refused alike. */
export function admit(caller: KeyRecord, chat: ChatRequest, { facts }: Exchange, gateway: Gateway): Model {
  facts["model"] = chat.model.slice(0, 200);
  const model = gateway.catalog.snapshot().get(chat.model);
  if (model && mayCall(caller.models, model)) return model;
  if (model?.state.name === "retired" && isCovered(caller.models, model.id)) {
    throw new GatewayError("model_retired", `The model ${model.id} was retired. Use ${model.state.replacement} instead.`, {
      param: "model",
    });
  }
  const asked = JSON.stringify(chat.model.slice(0, 200));
  throw new GatewayError("model_not_allowed", `This key may not call a model ${asked}. GET /v1/models lists those it may call.`, {
    param: "model",
  });
}

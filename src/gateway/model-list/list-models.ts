import type { Exchange } from "../../http/endpoint.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { identify } from "../authentication/authenticate.ts";
import type { Gateway } from "../gateway.ts";
import { Reply } from "../../lib/http1/server/reply.ts";

const modelSchema: Schema = {
  title: "Model",
  type: "object",
  required: ["id", "object", "created", "owned_by"],
  properties: {
    id: { type: "string", description: "Model id, used as `model` in requests." },
    object: { type: "string", enum: ["model"] },
    created: { type: "integer", description: "Unix seconds." },
    owned_by: { type: "string", description: "Owner label." },
    deprecated: { type: "boolean", description: "Present and true on a model that will be retired." },
    shutdown_date: { type: "string", description: "The day a deprecated model is retired, YYYY-MM-DD." },
    replacement: { type: "string", description: "The model to move to from a deprecated one." },
  },
};

export const modelListSchema: Schema = {
  title: "ModelList",
  type: "object",
  required: ["object", "data"],
  properties: { object: { type: "string", enum: ["list"] }, data: { type: "array", items: modelSchema } },
};

/** GET /v1/models: the models this key may call, and no others. */
export function listModels(exchange: Exchange, gateway: Gateway): Reply | Promise<Reply> {
  const identified = identify(exchange, gateway);
  return identified instanceof Promise ? identified.then((caller) => listFor(caller, gateway)) : listFor(identified, gateway);
}

function listFor(caller: KeyRecord, gateway: Gateway): Reply {
  const { modelLists, catalog } = gateway;
  const list = modelLists.listFor(caller, gateway.accountOf(caller), catalog.snapshot(), gateway.nowMs());
  return new Reply(list, { headers: { "content-type": "application/json;charset=utf-8" } });
}

import type { Exchange } from "../http/endpoint.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { KeyRecord } from "../access/api-key.ts";
import { ApiError } from "../requests/api-error.ts";
import { identify } from "./authentication.ts";
import type { Gateway } from "./gateway.ts";
import { viewKey } from "./key-view/key-view.ts";
import { keyViewSchema } from "./key-view/key-view-schema.ts";
import { readSwitch } from "./reading/read-switch.ts";
import { Reply } from "../lib/http1/server/reply.ts";

const modelSchema = {
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
} as const satisfies Schema;

export const modelListSchema = {
  title: "ModelList",
  type: "object",
  required: ["object", "data"],
  properties: { object: { type: "string", enum: ["list"] }, data: { type: "array", items: modelSchema }, usage: keyViewSchema },
} as const satisfies Schema;

/** GET /v1/models: the models that this key may call. With `x-usage: 1`, also the key's usage, limits and credit. */
export function listModels(exchange: Exchange, gateway: Gateway): Reply | Promise<Reply> {
  const identified = identify(exchange, gateway);
  return identified instanceof Promise
    ? identified.then((caller) => replyTo(caller, exchange, gateway))
    : replyTo(identified, exchange, gateway);
}

/**
 * The same list for clients of Anthropic: with the fields that they read (https://platform.claude.com/docs/en/api/models-list) beside the
 * usual ones.
 */
export async function listAnthropicModels(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const caller = await identify(exchange, gateway);
  const { data, ...list } = JSON.parse(new TextDecoder().decode(listFor(caller, gateway))) as { readonly data: readonly ListedModel[] };
  const catalog = gateway.catalog.snapshot();
  const models = data.map((model) => {
    const { contextWindow, maxOutputTokens } = catalog.get(model.id) ?? {};
    return {
      ...model,
      type: "model",
      display_name: model.id,
      created_at: new Date(model.created * 1000).toISOString(),
      ...(contextWindow !== undefined && { max_input_tokens: contextWindow }),
      ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    };
  });
  return Reply.json({ ...list, data: models, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
}

interface ListedModel {
  readonly id: string;
  readonly created: number;
}

/** GET /v1/models/ID, which clients of LiteLLM call: a model of that list. */
export async function showModel(id: string, exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const caller = await identify(exchange, gateway);
  const { data } = JSON.parse(new TextDecoder().decode(listFor(caller, gateway))) as { readonly data: readonly ListedModel[] };
  const model = data.find((each) => each.id === id);
  if (!model) throw new ApiError("unknown_url", `There is no model ${JSON.stringify(id)} that this key may call.`, { param: "model" });
  return Reply.json(model);
}

function replyTo(caller: KeyRecord, { request }: Exchange, gateway: Gateway): Reply | Promise<Reply> {
  return readSwitch(request.headers, "x-usage") ? listWithUsage(caller, gateway) : jsonReply(listFor(caller, gateway));
}

function listFor(caller: KeyRecord, gateway: Gateway): Uint8Array {
  const { modelLists, catalog } = gateway;
  const account = gateway.accountOf(caller);
  return modelLists.listFor(caller, account, catalog.snapshot(account.priceList), gateway.nowMs(), catalog.endpoints());
}

/** The list is serialized already: the usage is inserted before its last brace. */
async function listWithUsage(caller: KeyRecord, gateway: Gateway): Promise<Reply> {
  const usage = await viewKey(caller, gateway);
  return jsonReply(Buffer.concat([listFor(caller, gateway).subarray(0, -1), Buffer.from(`,"usage":${JSON.stringify(usage)}}`)]));
}

function jsonReply(body: Uint8Array): Reply {
  return new Reply(body, { headers: { "content-type": "application/json;charset=utf-8" } });
}

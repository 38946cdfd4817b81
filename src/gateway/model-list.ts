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
import { mayCall, type ModelAllowList, type Catalog, type Model } from "../models/catalog.ts";

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
  properties: { object: { type: "string", enum: ["list"] }, data: { type: "array", items: modelSchema }, usage: keyViewSchema },
};

/** GET /v1/models: the models this key may call, and no others. With `x-usage: 1` also its usage, limits and credit. */
export function listModels(exchange: Exchange, gateway: Gateway): Reply | Promise<Reply> {
  const identified = identify(exchange, gateway);
  return identified instanceof Promise
    ? identified.then((caller) => replyTo(caller, exchange, gateway))
    : replyTo(identified, exchange, gateway);
}

/** GET /v1/models/ID, which clients of LiteLLM call: a model of that list. */
export async function showModel(id: string, exchange: Exchange, gateway: Gateway): Promise<Reply> {
  const caller = await identify(exchange, gateway);
  const { data } = JSON.parse(new TextDecoder().decode(listFor(caller, gateway))) as { readonly data: readonly { readonly id: string }[] };
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
  return modelLists.listFor(caller, account, catalog.snapshot(account.priceList), gateway.nowMs());
}

/** The list is serialized already: the usage is inserted before its last brace. */
async function listWithUsage(caller: KeyRecord, gateway: Gateway): Promise<Reply> {
  const usage = await viewKey(caller, gateway);
  return jsonReply(Buffer.concat([listFor(caller, gateway).subarray(0, -1), Buffer.from(`,"usage":${JSON.stringify(usage)}}`)]));
}

function jsonReply(body: Uint8Array): Reply {
  return new Reply(body, { headers: { "content-type": "application/json;charset=utf-8" } });
}

/** Enough for the different sets of allowed models of most operators. The cache is emptied when it is full. */
const MAX_LISTS = 1000;

interface SerializedList {
  /** Encoded once: the list may be long, and encoding it costs more than the rest of a reply. */
  readonly bytes: Uint8Array;
  /** When the next price takes effect, with which another model may become callable. */
  readonly untilMs: number;
}

/**
 * Cache of the responses of `GET /v1/models`, one for each price list and set of allowed models. Every change of a model or a price list makes
 * other catalog objects, and the lists of the former ones are forgotten with them.
 */
export class ModelLists {
  readonly #byCatalog = new WeakMap<Catalog, Map<string, SerializedList>>();

  /** The models that this key of this account may call, as JSON. */
  listFor(key: ModelAllowList, account: ModelAllowList, catalog: Catalog, nowMs: number): Uint8Array {
    const byAllowed = this.#listsOf(catalog);
    const allowed = `${key.models.join("\n")}\n\n${account.models.join("\n")}`;
    const cached = byAllowed.get(allowed);
    if (cached && nowMs < cached.untilMs) return cached.bytes;
    const list = serialize(key, account, catalog, nowMs);
    if (byAllowed.size >= MAX_LISTS) byAllowed.clear();
    byAllowed.set(allowed, list);
    return list.bytes;
  }

  #listsOf(catalog: Catalog): Map<string, SerializedList> {
    let lists = this.#byCatalog.get(catalog);
    if (!lists) this.#byCatalog.set(catalog, (lists = new Map()));
    return lists;
  }
}

function serialize(key: ModelAllowList, account: ModelAllowList, catalog: Catalog, nowMs: number): SerializedList {
  const models = [...catalog.values()];
  const listed = models.filter((model) => mayCall(key, account, model, nowMs));
  const coming = models.flatMap(({ prices }) => prices.map(({ effectiveAtMs }) => effectiveAtMs)).filter((atMs) => atMs > nowMs);
  const bytes = Buffer.from(JSON.stringify({ object: "list", data: listed.map(toWire) }));
  return { bytes, untilMs: coming.reduce((first, atMs) => Math.min(first, atMs), Number.POSITIVE_INFINITY) };
}

function toWire({ id, createdSeconds, ownedBy, state }: Model): Record<string, unknown> {
  const model = { id, object: "model", created: createdSeconds, owned_by: ownedBy };
  if (state.name !== "deprecated") return model;
  return { ...model, deprecated: true, shutdown_date: state.shutdownDate, replacement: state.replacement };
}

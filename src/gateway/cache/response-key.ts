import { canonicalJson } from "../../lib/json/canonical-json.ts";
import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { FindUpstream } from "../gateway.ts";

/** Said elsewhere in the key, or by the caller about the counts in its stream, which are not kept in its chunks. */
const NOT_OF_THE_BODY: ReadonlySet<string> = new Set(["model", "stream", "stream_options"]);

/**
 * The name of what is asked: the same for the same question of one account to one model as it is served now, and for nothing else.
 * Each part has its length before it, so that no two lists of parts are one text.
 */
export function responseKey(chat: ChatRequest, model: Model, accountId: string, findUpstream: FindUpstream): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const form = chat.stream ? "stream" : "json";
  for (const part of [accountId, model.id, serviceOf(model, findUpstream), form, bodyOf(chat)]) hasher.update(`${part.length}:${part}`);
  return hasher.digest("hex");
}

/** What decides about an answer beside the question. An answer of another upstream, or one that was held shorter, is another. */
function serviceOf({ routes, parameters, unknownParameters, maxOutputTokens }: Model, findUpstream: FindUpstream): string {
  const places = routes.map(({ upstream, upstreamModel }) => [upstream, upstreamModel, addressOf(upstream, findUpstream)]);
  return JSON.stringify([places, parameters, unknownParameters, maxOutputTokens]);
}

function addressOf(upstreamId: string, findUpstream: FindUpstream): readonly unknown[] {
  const settings = findUpstream(upstreamId)?.settings;
  return settings === undefined || settings.dialect === "echo"
    ? []
    : [settings.dialect, settings.preset, settings.baseUrl, settings.unknownParameters];
}

/** What is null at the top is not there. Where numbers would not survive, the body is taken as it was written. */
function bodyOf({ body, text }: ChatRequest): string {
  const said = Object.entries(body).filter(([name, value]) => value !== null && !NOT_OF_THE_BODY.has(name));
  return canonicalJson(Object.fromEntries(said)) ?? text;
}

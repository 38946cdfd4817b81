import { canonicalJson } from "../../lib/json/canonical-json.ts";
import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { OBEYED_FIELDS } from "../../models/parameters/gateway-fields.ts";
import { revealHeaders } from "../../models/headers/secret-headers.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { FindUpstream } from "../gateway.ts";

/** `model` and `stream` are separate parts of the key; `stream_options` concerns the usage chunk, which is not among the cached chunks. Fields that the gateway
 * obeys are not part of a request to an upstream. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set(["model", "stream", "stream_options", ...OBEYED_FIELDS]);

/**
 * The cache key: equal for the same request of one account to one model with its current routing, and for nothing else. Each part is
 * prefixed with its length, so that no two lists of parts hash the same text.
 */
export function responseKey(chat: ChatRequest, model: Model, accountId: string, findUpstream: FindUpstream): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const form = chat.stream ? "stream" : "json";
  for (const part of [accountId, model.id, routingOf(model, findUpstream), form, bodyOf(chat)]) hasher.update(`${part.length}:${part}`);
  return hasher.digest("hex");
}

/** Everything beside the request that determines a response: another upstream or another output limit makes another response. */
function routingOf({ routes, parameters, unknownParameters, maxOutputTokens }: Model, findUpstream: FindUpstream): string {
  const targets = routes.map(({ upstream, upstreamModel, defaults, headers }) => [
    upstream,
    upstreamModel,
    endpointOf(upstream, findUpstream),
    ...(defaults ? [defaults] : []),
    ...(headers ? [revealHeaders(headers)] : []),
  ]);
  return JSON.stringify([targets, parameters, unknownParameters, maxOutputTokens]);
}

function endpointOf(upstreamId: string, findUpstream: FindUpstream): readonly unknown[] {
  const settings = findUpstream(upstreamId)?.settings;
  return settings === undefined || settings.dialect === "echo"
    ? []
    : [settings.dialect, settings.preset, settings.baseUrl, settings.unknownParameters, addedBy(settings)];
}

/** A proxy may route by headers. */
function addedBy({ headers, organization, project }: RemoteSettings): unknown {
  return headers || organization !== undefined || project !== undefined ? [revealHeaders(headers), organization, project] : undefined;
}

/** Top-level nulls are ignored. A body whose numbers JavaScript cannot represent exactly is used verbatim. */
function bodyOf({ body, text }: ChatRequest): string {
  const fields = Object.entries(body).filter(([name, value]) => value !== null && !IGNORED_FIELDS.has(name));
  return canonicalJson(Object.fromEntries(fields)) ?? text;
}

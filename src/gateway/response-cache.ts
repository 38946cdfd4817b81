import { type CachedResponse, MAX_RESPONSE_BYTES } from "../stores/responses/response-store.ts";
import type { ChunkStream, Completion } from "../upstreams/upstream.ts";
import { RESPONSE_CACHE } from "../money/ledger-entry.ts";
import type { Consumer } from "../lib/async/source.ts";
import type { Usage, ReceivedUsage } from "../money/usage.ts";
import type { AdmittedRequest } from "./admitted-request.ts";
import type { PendingResponse } from "./reply/reply.ts";
import type { Model } from "../models/catalog.ts";
import { droppedFields, type CallerFormat, type ModelRequest } from "./formats/caller-format.ts";
import { ForwardedChunks } from "./forwarded-chunks.ts";
import { isObject } from "../lib/schema/schema.ts";
import type { FindUpstream, Gateway } from "./gateway.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";
import { canonicalJson } from "../lib/json/canonical-json.ts";
import { OBEYED_FIELDS } from "../models/parameters/gateway-fields.ts";
import { revealHeaders } from "../models/headers/secret-headers.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";

/** The cached response, if admission found one. It is sent and charged like any other response. */
export function serveCached({ modelRequest, admission, exchange }: AdmittedRequest): PendingResponse | undefined {
  const hit = admission.cache?.hit;
  if (!hit) return undefined;
  exchange.setIdleTimeout(0);
  admission.upstream = RESPONSE_CACHE;
  if (modelRequest.stream) return { kind: "events", opening: Promise.resolve(new CachedChunks(hit, modelRequest.format)) };
  const { usage, uncountedBytes, pieces } = hit;
  return { kind: "json", completion: Promise.resolve({ usage, uncountedBytes, body: pieces[0]! }) };
}

/** The chunks of a cached stream. All chunks are in memory. */
class CachedChunks implements ChunkStream {
  readonly usage: Usage | undefined;
  readonly uncountedBytes: number;
  readonly #endEvents: readonly string[];
  #unread: readonly string[] | undefined;

  readonly #format: CallerFormat;

  constructor({ pieces, endEvents, usage, uncountedBytes }: CachedResponse, format: CallerFormat) {
    this.#format = format;
    this.usage = usage;
    this.uncountedBytes = uncountedBytes;
    this.#endEvents = endEvents!;
    this.#unread = pieces;
  }

  read(consumer: Consumer<readonly string[]>): void {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread) consumer.take(unread);
    else consumer.end();
  }

  endEvents(_usage: Usage, more: Readonly<Record<string, unknown>>): readonly string[] {
    if (this.#format.name !== "chat") return this.#endEvents;
    return this.#endEvents.map((event) => JSON.stringify({ ...(JSON.parse(event) as object), ...more }));
  }

  /** Never needed for a cached stream: its exact cost was known at admission. */
  stop(): readonly string[] {
    return [];
  }

  cancel(): void {
    this.#unread = undefined;
  }
}

type Store = (pieces: readonly string[], counted: ReceivedUsage, endEvents?: (usage: Usage) => readonly string[]) => void;

/**
 * Returns the same response, which is copied into the model's response cache (if it has one) when complete. A response that failed, was
 * stopped, or was shortened for lack of credit is not stored: it would be wrong for the next client.
 */
export function storeInCache(response: PendingResponse, request: AdmittedRequest): PendingResponse {
  const storeAs = request.admission.cache?.storeAs;
  if (storeAs === undefined) return response;
  const store: Store = (pieces, counted, endEvents) => storeCopy(storeAs, pieces, counted, endEvents, request);
  if (response.kind === "json") return { kind: "json", completion: response.completion.then((whole) => storedCompletion(whole, store)) };
  return { kind: "events", opening: response.opening.then((chunks) => new CopiedChunks(chunks, store)) };
}

function storedCompletion(completion: Completion, store: Store): Completion {
  store([completion.body], completion);
  return completion;
}

function storeCopy(
  key: string,
  pieces: readonly string[],
  counted: ReceivedUsage,
  endEvents: ((usage: Usage) => readonly string[]) | undefined,
  { modelRequest, admission, exchange, gateway }: AdmittedRequest,
): void {
  // A client that disconnected may have disliked the response. The response of a fallback is not a response of the requested model.
  if (exchange.request.signal.aborted || admission.isFallback) return;
  const { model, parameterMapping, isRelayed } = admission;
  const { usage, isBounded } = admission.count(counted, true);
  // The counts were implausible and replaced by the bound: a cache hit must not be charged by such counts.
  if (isBounded) return;
  const response: CachedResponse = {
    pieces,
    ...(endEvents && { endEvents: endEvents(usage) }),
    // A cache hit is charged for what the first request has asked for, and for no more.
    usage: counted.usage?.premium ? { ...counted.usage, premium: usage.premium } : counted.usage,
    uncountedBytes: counted.uncountedBytes,
    promptTokens: usage.promptTokens,
    dropped: droppedFields(modelRequest, parameterMapping, isRelayed, admission.premium),
  };
  gateway.responses.store(key, response, gateway.monotonicMs() + model.cache!.ttlSeconds * 1000);
}

/** Forwards the chunks of a stream, and copies each. */
class CopiedChunks extends ForwardedChunks {
  #store: Store | undefined;
  #copies: string[] = [];
  #chars = 0;

  constructor(chunks: ChunkStream, store: Store) {
    super(chunks);
    this.#store = store;
  }

  override take(chunks: readonly string[]): void {
    this.#copy(chunks);
    super.take(chunks);
  }

  override end(): void {
    try {
      this.#store?.(this.#copies, this.chunks, (usage) => this.chunks.endEvents(usage, {}));
    } catch (error) {
      return this.fail(error);
    }
    super.end();
  }

  override stop(): readonly string[] {
    this.#discard();
    return super.stop();
  }

  override cancel(): void {
    this.#discard();
    super.cancel();
  }

  #copy(chunks: readonly string[]): void {
    if (!this.#store) return;
    this.#copies.push(...chunks);
    for (const chunk of chunks) this.#chars += chunk.length;
    if (this.#chars > MAX_RESPONSE_BYTES) this.#discard();
  }

  #discard(): void {
    this.#store = undefined;
    this.#copies = [];
  }
}

interface CacheLookup {
  readonly key: string;
  /** The cached response, unless the client sent `Cache-Control: no-cache`. */
  readonly hit: CachedResponse | undefined;
}

/**
 * Looks up the response cache, following the request's `Cache-Control` (RFC 9111) or `cache` in its body. With `no-store`, the response is
 * neither read from the cache nor stored. With `no-cache`, a new response is requested from the upstream and replaces the cached one.
 */
export function lookUpCache(
  modelRequest: ModelRequest,
  model: Model,
  accountId: string,
  headers: HeaderFields,
  findUpstream: FindUpstream,
  { responses, monotonicMs }: Gateway,
): CacheLookup | undefined {
  const directives = new Set([...directivesIn(headers), ...directivesInBody(modelRequest)]);
  if (directives.has("no-store")) return undefined;
  const key = responseKey(modelRequest, model, accountId, findUpstream);
  return { key, hit: directives.has("no-cache") ? undefined : responses.find(key, monotonicMs()) };
}

/** `cache: {"no-cache": true}`, as LiteLLM's clients send it. */
function directivesInBody({ gatewayFields: { cache } }: ModelRequest): string[] {
  return isObject(cache) ? Object.keys(cache).filter((directive) => cache[directive] === true) : [];
}

function directivesIn(headers: HeaderFields): string[] {
  const named = (headers.get("cache-control") ?? "").toLowerCase().split(",");
  return named.map((directive) => directive.split("=", 1)[0]!.trim());
}

/**
 * `model` and `stream` are separate parts of the key; `stream_options` only affects the usage chunk, which is not cached. Fields that the
 * gateway itself obeys are not sent to upstreams.
 */
const IGNORED_FIELDS: ReadonlySet<string> = new Set(["model", "stream", "stream_options", ...OBEYED_FIELDS]);

/**
 * The cache key: equal only for the same request, of the same account, to the same model with its current routing. Each part is prefixed
 * with its length, so that two different lists of parts never hash the same text.
 */
export function responseKey(modelRequest: ModelRequest, model: Model, accountId: string, findUpstream: FindUpstream): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const { name } = modelRequest.format;
  // The name of a request does not change its response.
  const { "x-client-request-id": _requestId, ...headers } = modelRequest.relayed?.formatHeaders ?? {};
  const format = modelRequest.relayed ? `${name} ${JSON.stringify(headers)} ` : "";
  const form = `${format}${modelRequest.fromChat ? "translated " : ""}${modelRequest.stream ? "stream" : "json"}`;
  for (const part of [accountId, model.id, routingOf(model, findUpstream), form, bodyOf(modelRequest)])
    hasher.update(`${part.length}:${part}`);
  return hasher.digest("hex");
}

/** Everything besides the request that determines a response, such as the upstreams and the output limit. */
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

/** The headers that are added to a request, because a proxy may route by them. */
function addedBy({ headers, organization, project }: RemoteSettings): unknown {
  return headers || organization !== undefined || project !== undefined ? [revealHeaders(headers), organization, project] : undefined;
}

/** Top-level nulls are ignored. If JavaScript cannot represent the body's numbers exactly, the body is used verbatim. */
function bodyOf({ body, text }: ModelRequest): string {
  const fields = Object.entries(body).filter(([name, value]) => value !== null && !IGNORED_FIELDS.has(name));
  return canonicalJson(Object.fromEntries(fields)) ?? text;
}

import { CallerGone } from "../lib/async/caller-gone.ts";
import type { ClientIdentities } from "../requests/client-identities.ts";
import { ApiError } from "../requests/api-error.ts";
import { revealHeaders, secretsIn } from "../models/headers/secret-headers.ts";
import { NO_RULES } from "../models/parameters/parameter-policy.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { Timeouts } from "../models/timeouts.ts";
import type { Authorizer } from "./authorizer.ts";
import { sendAuthorized } from "./send-authorized.ts";
import { Destination } from "./egress/destination.ts";
import type { Dialect, Relay, WireRequest } from "./dialect.ts";
import { EventChunks } from "./streams/event-chunks.ts";
import { CollectedEmbeddings } from "../requests/embeddings-api.ts";
import { collect, inputCountOf, missingParts } from "./embeddings.ts";
import { EventReader } from "./streams/read-events.ts";
import { mayBeRelayed, parseAnswer, unparsableResponse, safeMessage } from "./refusal.ts";
import { isTooDeep, refuseDepth } from "./refuse-depth.ts";
import { addedHeaders } from "./added-headers.ts";
import { send, type UpstreamReply } from "./egress/send.ts";
import { SentCredentials, type Redactor } from "./sent-credentials.ts";
import type {
  AnyCall,
  ChunkStream,
  Completion,
  RelayedCall,
  RelayedFormat,
  RelayedRequest,
  RelayTerms,
  StreamedCall,
  Upstream,
} from "./upstream.ts";
import { isObject } from "../lib/schema/schema.ts";
import { messageOf } from "../lib/text/message-of.ts";

/** An upstream over HTTP, in any dialect. */
export class HttpUpstream implements Upstream {
  readonly settings: RemoteSettings;
  readonly #dialect: Dialect;
  readonly #destination: Destination;
  /** The operator's headers; undefined if there are none. */
  readonly #headers: Readonly<Record<string, string>> | undefined;
  /** Undefined if requests have a static credential, or none. */
  readonly authorizer: Authorizer | undefined;

  constructor(settings: RemoteSettings, dialect: Dialect, authorizer?: Authorizer) {
    this.settings = settings;
    this.#dialect = dialect;
    this.authorizer = authorizer;
    this.#destination = new Destination(settings);
    this.#headers = addedHeaders(settings);
  }

  relays(format: RelayedFormat, upstreamModel: string): boolean {
    const relay = this.#dialect.relays?.[format];
    return relay !== undefined && (relay.takes?.(this.settings, upstreamModel) ?? true);
  }

  relayTerms(relayed: RelayedRequest, upstreamModel: string): RelayTerms {
    return this.#dialect.relays![relayed.relayedAs]!.terms?.(relayed, upstreamModel, this.settings) ?? ALL_TERMS;
  }

  complete(call: AnyCall): Promise<Completion> {
    return "relayed" in call && call.relayed.relayedAs === "embeddings" ? this.#embed(call) : this.#complete(call);
  }

  /** A batch that is too large for the upstream is sent in parts, a few at a time. */
  async #embed(call: RelayedCall): Promise<Completion> {
    const { relayed, upstreamModel } = call;
    const relay = this.#relayOf(call);
    const inputs = relay.maxInputs?.(this.settings, upstreamModel) ?? Infinity;
    const limit = { inputs, bytes: relay.maxInputBytes?.(this.settings, upstreamModel) };
    const collected = relayed.collected ?? new CollectedEmbeddings(inputCountOf(relayed));
    const parts = missingParts(collected, relayed, limit);
    if (parts.length === 1 && !relayed.collected) return this.#complete(call);
    relayed.collected = collected;
    await collect(collected, call, parts, (part) => this.#complete(part));
    return collected.completion(call.model);
  }

  async #complete(call: AnyCall): Promise<Completion> {
    const sent = call.sent ?? new SentCredentials(call.credential);
    try {
      let reply = await this.#send(call, sent);
      if (reply.status !== 200) reply = await this.#recover(reply, call, sent);
      if ("relayed" in call) call.receiveHeaders?.(reply.headers);
      const coming = reply.text();
      const text = typeof coming === "string" ? coming : await coming;
      refuseDepth(text);
      return "relayed" in call ? this.#relayOf(call).readCompletion(text, call, reply.headers) : this.#dialect.readCompletion(text, call);
    } catch (error) {
      throw explain(error, sent, call.identities, this.#relayedFrom(call));
    }
  }

  async stream(call: AnyCall): Promise<ChunkStream> {
    const sent = call.sent ?? new SentCredentials(call.credential);
    try {
      let reply = await this.#send(call, sent);
      if (reply.status !== 200) reply = await this.#recover(reply, call, sent);
      if ("relayed" in call) call.receiveHeaders?.(reply.headers);
      const format = "relayed" in call ? this.#relayOf(call) : this.#dialect;
      const reader = format.openReader?.() ?? new EventReader();
      const translator = format.readEvents(withoutPrompt(call));
      return await EventChunks.open(reply, reader, translator, explainerFor(sent, call.identities, this.#relayedFrom(call)));
    } catch (error) {
      throw explain(error, sent, call.identities, this.#relayedFrom(call));
    }
  }

  countsTokens(format: RelayedFormat): boolean {
    return this.#dialect.relays?.[format]?.countsTokens === true;
  }

  async countTokens(call: RelayedCall): Promise<number> {
    const sent = call.sent ?? new SentCredentials(call.credential);
    try {
      const reply = await this.#send(call, sent);
      if (reply.status !== 200) throw this.#refusalIn(reply, await errorBodyOf(reply), call, sent);
      const counted = parseAnswer(await reply.text(), JSON.parse);
      const tokens = isObject(counted) ? counted["input_tokens"] : undefined;
      if (!Number.isSafeInteger(tokens)) throw unparsableResponse("no input_tokens");
      return tokens as number;
    } catch (error) {
      throw explain(error, sent, call.identities, this.#relayedFrom(call));
    }
  }

  /** A request that this dialect cannot express may be expressible in another route's dialect. */
  #write(call: AnyCall): WireRequest {
    try {
      return "relayed" in call ? this.#relayOf(call).request(call, this.settings) : this.#dialect.request(call, this.settings);
    } catch (error) {
      if (error instanceof ApiError) throw error.withFault({ kind: "not_sent" });
      // A defect of the gateway does not count against the upstream's health.
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      throw new ApiError("internal_error", "The gateway failed to write this request.", { detail });
    }
  }

  #relayOf({ relayed }: RelayedCall): Relay {
    return this.#dialect.relays![relayed.relayedAs]!;
  }

  #send(call: AnyCall, sent: SentCredentials): Promise<UpstreamReply> {
    const { signal, traceHeaders } = call;
    const { stream: streaming } = "relayed" in call ? call.relayed : call.chat;
    const timeouts = streaming ? call.timeouts : forWholeResponse(call.timeouts);
    const { path, headers: own, body } = this.#write(call);
    const added = call.headers || this.#headers ? this.#addTo(own, call, sent) : own;
    const headers = traceHeaders ? { ...added, ...traceHeaders } : added;
    const request = { path, headers, body, destination: this.#destination, signal, timeouts, streaming };
    return this.authorizer ? sendAuthorized(request, this.authorizer, sent) : send(request);
  }

  /** Headers of the API format cannot be replaced. Headers of the route replace headers of the upstream. */
  #addTo(own: WireRequest["headers"], { headers }: AnyCall, sent: SentCredentials): WireRequest["headers"] {
    for (const secret of [...secretsIn(this.settings.headers), ...secretsIn(headers)]) sent.add(secret);
    const added = { ...this.#headers, ...revealHeaders(headers) };
    return Object.assign({ ...added, ...own }, ...BETAS.map((name) => joined(name, added, own))) as WireRequest["headers"];
  }

  /**
   * The reply to the same call without the reasoning of earlier turns, if the upstream has rejected that: the account at the provider that has encrypted or signed it
   * may be another one. Throws the error for every other response.
   */
  async #recover(reply: UpstreamReply, call: AnyCall, sent: SentCredentials): Promise<UpstreamReply> {
    const body = await errorBodyOf(reply);
    const isRejected =
      "relayed" in call && !call.withoutReasoning && this.#relayOf(call).rejectsReasoning(reply.status, body, call.relayed);
    if (!isRejected) throw this.#refusalIn(reply, body, call, sent);
    call.report("reasoning_rejected");
    const withoutReasoning = { ...call, withoutReasoning: true } as const;
    const repeated = await this.#send(withoutReasoning, sent);
    return repeated.status === 200 ? repeated : this.#recover(repeated, withoutReasoning, sent);
  }

  #refusalIn({ status, headers }: UpstreamReply, body: string, call: AnyCall, sent: SentCredentials): ApiError {
    const error = this.#dialect.refusal(status, headers, body);
    const relayed = "relayed" in call && isOfRequest(error) ? this.#relayOf(call).errorIn(status, body) : undefined;
    if (!relayed) return error;
    return mayBeRelayed(body, sent, this.settings.baseUrl) ? error.withRelayed(relayed) : error.withheld(WITHHELD);
  }

  /** The base URL, for the errors of a relayed call. */
  #relayedFrom(call: AnyCall): string | undefined {
    return "relayed" in call ? this.settings.baseUrl : undefined;
  }
}

/** Everything is passed on. */
const ALL_TERMS: RelayTerms = { rules: NO_RULES, droppedParts: [] };

/** The timeouts of a response that is not streamed. */
function forWholeResponse(timeouts: Timeouts): Timeouts {
  const { nonStreamedMs, totalMs } = timeouts;
  return nonStreamedMs === undefined || nonStreamedMs >= totalMs ? timeouts : { ...timeouts, totalMs: nonStreamedMs };
}

/** The client's betas and the operator's both take effect. */
const BETAS = ["anthropic-beta", "openai-beta"];

function joined(name: string, added: WireRequest["headers"], own: WireRequest["headers"]): WireRequest["headers"] {
  return added[name] === undefined || own[name] === undefined ? {} : { [name]: `${added[name]},${own[name]}` };
}

/** Instead of a rejection that names the operator's account. */
const WITHHELD = "The upstream rejected this request. Its reason names the operator's account: the gateway's log has it.";

/** Whether an upstream's error blames the request, which the client can change. */
function isOfRequest({ fault }: ApiError): boolean {
  return fault === undefined || fault.kind === "unsupported";
}

/** The body of an error response; empty if it is nested too deeply to parse safely. */
async function errorBodyOf(reply: UpstreamReply): Promise<string> {
  const body = await reply.beginning();
  return isTooDeep(body) ? "" : body;
}

function withoutPrompt({ model, upstreamModel, credential, report, mayBeStopped = false }: AnyCall): StreamedCall {
  return { model, upstreamModel, credential, report, mayBeStopped };
}

/** A separate function: a closure inside an async function would retain the prompt for the whole stream. */
function explainerFor(
  credential: Redactor | undefined,
  identities: ClientIdentities | undefined,
  relayedFrom: string | undefined,
): (error: unknown) => Error {
  return (error) => explain(error, credential, identities, relayedFrom);
}

/**
 * The error to throw for a failure. An upstream has received the credential, which its message must not reveal to anybody, and the
 * identities, which its message must not reveal to operators: the detail is stored even if the account stores no identities, and an erasure
 * does not find it. `relayedFrom`: the base URL if the call is relayed. Its errors that blame the request come in any form: as a body, as
 * text, as an event.
 */
function explain(
  error: unknown,
  credential: Redactor | undefined,
  identities: ClientIdentities | undefined,
  relayedFrom: string | undefined,
): Error {
  if (error instanceof CallerGone) return error;
  const failure = error instanceof ApiError ? error : unparsableResponse(messageOf(error));
  const isWithheld = relayedFrom !== undefined && isOfRequest(failure) && !mayBeRelayed(failure.message, credential, relayedFrom);
  return (isWithheld ? failure.withheld(WITHHELD) : failure).rewritten(
    (text) => safeMessage(text, credential),
    (detail) => safeMessage(detail, credential, identities),
  );
}

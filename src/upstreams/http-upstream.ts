import { CallerGone } from "../lib/async/caller-gone.ts";
import type { ClientIdentities } from "../requests/client-identities.ts";
import { ApiError } from "../requests/api-error.ts";
import { revealHeaders, secretsIn } from "../models/headers/secret-headers.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { Timeouts } from "../models/timeouts.ts";
import type { Authorizer } from "./authorizer.ts";
import { sendAuthorized } from "./send-authorized.ts";
import { Destination } from "./egress/destination.ts";
import type { Dialect, WireRequest } from "./dialect.ts";
import { EventChunks } from "./streams/event-chunks.ts";
import { EventReader } from "./streams/read-events.ts";
import { unparsableResponse, safeMessage } from "./refusal.ts";
import { isTooDeep, refuseDepth } from "./refuse-depth.ts";
import { addedHeaders } from "./added-headers.ts";
import { send, type UpstreamReply } from "./egress/send.ts";
import { SentCredentials, type Redactor } from "./sent-credentials.ts";
import type { ChunkStream, Completion, StreamedCall, Upstream, UpstreamCall } from "./upstream.ts";
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

  async complete(call: UpstreamCall): Promise<Completion> {
    const sent = call.sent ?? new SentCredentials(call.credential);
    try {
      const reply = await this.#send(call, sent);
      if (reply.status !== 200) throw await this.#refusalIn(reply);
      const coming = reply.text();
      const text = typeof coming === "string" ? coming : await coming;
      refuseDepth(text);
      return this.#dialect.readCompletion(text, call);
    } catch (error) {
      throw explain(error, sent, call.identities);
    }
  }

  async stream(call: UpstreamCall): Promise<ChunkStream> {
    const sent = call.sent ?? new SentCredentials(call.credential);
    try {
      const reply = await this.#send(call, sent);
      if (reply.status !== 200) throw await this.#refusalIn(reply);
      const reader = this.#dialect.openReader?.() ?? new EventReader();
      const translator = this.#dialect.readEvents(withoutPrompt(call));
      return await EventChunks.open(reply, reader, translator, explainerFor(sent, call.identities));
    } catch (error) {
      throw explain(error, sent, call.identities);
    }
  }

  /** A request that this dialect cannot express may be expressible in another route's dialect. */
  #write(call: UpstreamCall): WireRequest {
    try {
      return this.#dialect.request(call, this.settings);
    } catch (error) {
      if (error instanceof ApiError) throw error.withFault({ kind: "not_sent" });
      // A defect of the gateway does not count against the upstream's health.
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      throw new ApiError("internal_error", "The gateway failed to write this request.", { detail });
    }
  }

  #send(call: UpstreamCall, sent: SentCredentials): Promise<UpstreamReply> {
    const { signal, chat, traceHeaders } = call;
    const timeouts = chat.stream ? call.timeouts : forWholeResponse(call.timeouts);
    const { path, headers: own, body } = this.#write(call);
    const added = call.headers || this.#headers ? this.#addTo(own, call, sent) : own;
    const headers = traceHeaders ? { ...added, ...traceHeaders } : added;
    const request = { path, headers, body, destination: this.#destination, signal, timeouts, streaming: chat.stream };
    return this.authorizer ? sendAuthorized(request, this.authorizer, sent) : send(request);
  }

  /** Headers of the API format cannot be replaced. Headers of the route replace headers of the upstream. */
  #addTo(own: WireRequest["headers"], { headers }: UpstreamCall, sent: SentCredentials): WireRequest["headers"] {
    for (const secret of [...secretsIn(this.settings.headers), ...secretsIn(headers)]) sent.add(secret);
    return { ...this.#headers, ...revealHeaders(headers), ...own };
  }

  async #refusalIn(reply: UpstreamReply): Promise<ApiError> {
    return this.#dialect.refusal(reply.status, reply.headers, await errorBodyOf(reply));
  }
}

/** The timeouts of a response that is not streamed. */
function forWholeResponse(timeouts: Timeouts): Timeouts {
  const { nonStreamedMs, totalMs } = timeouts;
  return nonStreamedMs === undefined || nonStreamedMs >= totalMs ? timeouts : { ...timeouts, totalMs: nonStreamedMs };
}

/** The body of an error response; empty if it is nested too deeply to parse safely. */
async function errorBodyOf(reply: UpstreamReply): Promise<string> {
  const body = await reply.beginning();
  return isTooDeep(body) ? "" : body;
}

function withoutPrompt({ model, upstreamModel, report }: UpstreamCall): StreamedCall {
  return { model, upstreamModel, report };
}

/** A separate function: a closure inside an async function would retain the prompt for the whole stream. */
function explainerFor(credential: Redactor | undefined, identities: ClientIdentities | undefined): (error: unknown) => Error {
  return (error) => explain(error, credential, identities);
}

/**
 * The error to throw for a failure. An upstream has received the credential, which its message must not reveal to anybody, and the
 * identities, which its message must not reveal to operators: the detail is stored even if the account stores no identities, and an erasure
 * does not find it.
 */
function explain(error: unknown, credential: Redactor | undefined, identities: ClientIdentities | undefined): Error {
  if (error instanceof CallerGone) return error;
  const failure = error instanceof ApiError ? error : unparsableResponse(messageOf(error));
  return failure.rewritten(
    (text) => safeMessage(text, credential),
    (detail) => safeMessage(detail, credential, identities),
  );
}

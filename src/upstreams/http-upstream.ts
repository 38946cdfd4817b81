import { CallerGone } from "../lib/async/caller-gone.ts";
import { ApiError } from "../requests/api-error.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import { Destination } from "./egress/destination.ts";
import type { Dialect, WireRequest } from "./dialect.ts";
import { EventChunks } from "./streams/event-chunks.ts";
import { notUnderstood, safeMessage } from "./refusal.ts";
import { isTooDeep, refuseDepth } from "./refuse-depth.ts";
import { send, type UpstreamReply } from "./egress/send.ts";
import type { ChunkStream, Completion, StreamedCall, Upstream, UpstreamCall } from "./upstream.ts";

/** An upstream over HTTP, in any dialect. */
export class HttpUpstream implements Upstream {
  readonly settings: RemoteSettings;
  readonly #dialect: Dialect;
  readonly #destination: Destination;

  constructor(settings: RemoteSettings, dialect: Dialect) {
    this.settings = settings;
    this.#dialect = dialect;
    this.#destination = new Destination(settings);
  }

  async complete(call: UpstreamCall): Promise<Completion> {
    try {
      const reply = await this.#send(call);
      if (reply.status !== 200) throw await this.#refusalIn(reply);
      const coming = reply.text();
      const text = typeof coming === "string" ? coming : await coming;
      refuseDepth(text);
      return this.#dialect.readCompletion(text, call);
    } catch (error) {
      throw explain(error, call);
    }
  }

  async stream(call: UpstreamCall): Promise<ChunkStream> {
    try {
      const reply = await this.#send(call);
      if (reply.status !== 200) throw await this.#refusalIn(reply);
      return await EventChunks.open(reply, this.#dialect.readEvents(withoutPrompt(call)), explainerFor(call));
    } catch (error) {
      throw explain(error, call);
    }
  }

  /** A request that this dialect cannot express may be expressible in another route's. */
  #write(call: UpstreamCall): WireRequest {
    try {
      return this.#dialect.request(call, this.settings);
    } catch (error) {
      if (error instanceof ApiError) throw error.withFault({ kind: "unsaid" });
      // A defect of the gateway does not count against the upstream's health.
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      throw new ApiError("internal_error", "The gateway failed to write this request.", { detail });
    }
  }

  #send(call: UpstreamCall): Promise<UpstreamReply> {
    const { signal, timeouts, chat, traceHeaders } = call;
    const { path, headers: own, body } = this.#write(call);
    const headers = traceHeaders ? { ...own, ...traceHeaders } : own;
    return send({ path, headers, body, destination: this.#destination, signal, timeouts, streaming: chat.stream });
  }

  async #refusalIn(reply: UpstreamReply): Promise<ApiError> {
    return this.#dialect.refusal(reply.status, reply.headers, await errorBodyOf(reply));
  }
}

/** The body of an error response; empty where it is nested too deeply to parse safely. */
async function errorBodyOf(reply: UpstreamReply): Promise<string> {
  const body = await reply.beginning();
  return isTooDeep(body) ? "" : body;
}

function withoutPrompt({ chat: { model }, report }: UpstreamCall): StreamedCall {
  return { chat: { model }, report };
}

/** A function of its own: a closure inside an async function would hold the prompt for as long as the stream lasts. */
function explainerFor({ credential, identities }: Unrepeated): (error: unknown) => Error {
  return (error) => explain(error, { credential, identities });
}

/** What an upstream has received, and its message must not repeat: the credential to anybody, the identities to operators. */
type Unrepeated = Pick<UpstreamCall, "credential" | "identities">;

/** The error to throw for a failure. Its detail is stored, also where the account stores no identities, and is not found by an erasure. */
function explain(error: unknown, { credential, identities }: Unrepeated): Error {
  if (error instanceof CallerGone) return error;
  const failure = error instanceof ApiError ? error : notUnderstood(error instanceof Error ? error.message : String(error));
  return failure.rewritten(
    (text) => safeMessage(text, credential),
    (detail) => safeMessage(detail, credential, identities),
  );
}

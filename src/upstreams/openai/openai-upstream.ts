import { CallerGone } from "../../vocabulary/caller-gone.ts";
import { GatewayError } from "../../vocabulary/gateway-error.ts";
import { Destination } from "../destination.ts";
import { send, type UpstreamReply } from "../send.ts";
import type { ChunkStream, Completion, Upstream, UpstreamCall } from "../upstream.ts";
import { headersFor, type OpenAISettings } from "./openai-endpoint.ts";
import { notUnderstood, refusalOf, safeWords } from "./openai-error.ts";
import { toOpenAIRequest } from "./openai-request.ts";
import { RelayedChunks } from "./relayed-chunks.ts";
import { relayCompletion } from "./relay-completion.ts";

/** Any server that speaks the chat-completions format: it is relayed, not rebuilt. */
export class OpenAIUpstream implements Upstream {
  readonly #settings: OpenAISettings;
  readonly #destination: Destination;

  constructor(settings: OpenAISettings) {
    this.#settings = settings;
    this.#destination = new Destination(settings);
  }

  async complete(call: UpstreamCall): Promise<Completion> {
    try {
      const reply = await this.#send(call, "application/json");
      return relayCompletion(await reply.text(), call.chat.model);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async stream(call: UpstreamCall): Promise<ChunkStream> {
    try {
      const reply = await this.#send(call, "text/event-stream");
      return await RelayedChunks.open(reply, call.chat, (error) => this.#explain(error));
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async #send(call: UpstreamCall, accept: string): Promise<UpstreamReply> {
    const reply = await send({
      destination: this.#destination,
      path: "/chat/completions",
      headers: headersFor(this.#settings, accept),
      body: toOpenAIRequest(call, this.#settings.baseUrl),
      signal: call.signal,
      timeouts: this.#settings.timeouts,
      streaming: call.chat.stream,
    });
    if (reply.status === 200) return reply;
    throw refusalOf(reply.status, reply.headers, await reply.beginning());
  }

  /** What is said of a failure here: that it is the upstream's, and never our credential, whatever the upstream's words are. */
  #explain(error: unknown): Error {
    if (error instanceof CallerGone) return error;
    const { credential } = this.#settings;
    const failure = error instanceof GatewayError ? error : notUnderstood(error instanceof Error ? error.message : String(error));
    return failure.reworded((text) => safeWords(text, credential));
  }
}

import type { JsonBody } from "../../http/read-json.ts";
import type { EventFormat } from "../../http/sse.ts";
import type { Usage } from "../../money/usage.ts";
import type { ChatRequest, RequestBody } from "../../requests/chat-request.ts";

/** A request to a model, in the format of its endpoint. */
export interface ModelRequest extends RequestBody {
  readonly format: CallerFormat;
  /** Whether a stream ends with token counts. */
  readonly includeUsage: boolean;
  /** The same request in the chat-completions format, which every upstream can receive. */
  readonly chat: ChatRequest;
}

/** An API format that clients speak: how its requests are read, and its replies written. */
export interface CallerFormat {
  readonly name: "chat";
  /** The path of its endpoint. */
  readonly path: string;
  /** Validates a body. Throws the error that the client receives. */
  read(body: JsonBody): ModelRequest;
  /** The most output tokens that the request allows, for each choice; undefined if it sets no limit. */
  maxTokensOf(request: ModelRequest): number | undefined;
  /** How many responses the request asks for. Each may have all of its output tokens. */
  choicesOf(request: ModelRequest): number;
  /** The content parts that are not text; undefined if there are none, as in most requests. */
  mediaPartsOf(request: ModelRequest): readonly Record<string, unknown>[] | undefined;
  /** How its streams are written. */
  readonly events: EventFormat;
  /** A JSON response with these token counts instead of the upstream's. */
  withUsage(body: string, usage: Usage): string;
}

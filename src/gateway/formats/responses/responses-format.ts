import type { JsonBody } from "../../../http/read-json.ts";
import { toNamedFrames, type EventFormat } from "../../../http/sse.ts";
import type { HeaderFields } from "../../../lib/http1/header-fields.ts";
import { withField } from "../../../lib/json/json-text.ts";
import { type ApiError, refuseViolation } from "../../../requests/api-error.ts";
import { hasHostedSearch, toResponseError, usageToResponses } from "../../../requests/responses-api.ts";
import type { ChunkStream, Completion } from "../../../upstreams/upstream.ts";
import { PremiumDemand, type PremiumOffer } from "../../../requests/premium-demand.ts";
import { MODEL_PATHS } from "../../../requests/request-notes.ts";
import type { CallerFormat, ModelRequest, NamedIdentities } from "../caller-format.ts";
import { type OriginMarks, ForeignRequest, readFormatHeaders, TranslatedStream, type ResponseTranslation } from "../translation.ts";
import { echoedFields, ResponseWriter, toResponse } from "./chat-to-responses.ts";
import { addedBytesIn, ResponseTools } from "./response-tools.ts";
import { findResponsesViolation, findUnserved, mediaPartsIn } from "./responses-request.ts";
import { ResponsesTranslation, untranslatedIn } from "./responses-to-chat.ts";

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses */
export const responsesFormat: CallerFormat = {
  name: "responses",
  path: MODEL_PATHS.responses,
  kind: "chat",
  errors: "responses",
  fieldNames: {
    messages: "input",
    max_tokens: "max_output_tokens",
    max_completion_tokens: "max_output_tokens",
    reasoning_effort: "reasoning.effort",
    response_format: "text.format",
    verbosity: "text.verbosity",
  },
  openEvents: (requestId) => new ResponseEventFormat(requestId),
  isCoveredInFull: true,
  read(body, headers) {
    const demand = new PremiumDemand();
    refuseViolation(findResponsesViolation(body.outline, demand));
    return new ReadResponses(body, headers, demand.isEmpty ? undefined : demand);
  },
  maxTokensOf: ({ outline }) => (outline["max_output_tokens"] as number | null | undefined) ?? undefined,
  choicesOf: () => 1,
  mediaPartsOf: ({ outline }) => mediaPartsIn(outline),
  identitiesOf,
  // Codex sends `review`, `compact`, `collab_spawn`, …
  agentOf: (headers) => headers.get("x-openai-subagent") ?? undefined,
  isFiltered,
  withUsage: (body, usage) => withField(body, "usage", JSON.stringify(usageToResponses(usage))),
};

/** The headers of the format that upstreams receive. Codex sends the last two. */
const FORMAT_HEADERS = ["openai-beta", "x-client-request-id", "x-openai-internal-codex-responses-lite", "x-codex-turn-state"] as const;

function isFiltered(body: string): boolean {
  // The usual response is not parsed.
  if (!body.includes('"content_filter"')) return false;
  const { output, incomplete_details: details } = JSON.parse(body) as { output?: unknown; incomplete_details?: { reason?: unknown } };
  return details?.reason === "content_filter" && Array.isArray(output) && output.length === 0;
}

const SEQUENCE_NUMBER = /"sequence_number"\s*:\s*(\d+)/;
const RESPONSE_ID = /"id"\s*:\s*"(resp_[\w-]+)"/;

/** The events of one stream. An error has the ID of the response, and the sequence number after the last event. */
class ResponseEventFormat implements EventFormat {
  readonly lastEvent = undefined;
  #responseId: string;
  /** The sequence number of the next event. Undefined before the first. */
  #next: number | undefined;

  constructor(requestId: string) {
    this.#responseId = `resp_${requestId.replaceAll(/[^\w-]/g, "_")}`;
  }

  toFrames(events: readonly string[]): string {
    if (this.#next === undefined) this.#responseId = RESPONSE_ID.exec(events[0] ?? "")?.[1] ?? this.#responseId;
    this.#next = Number(SEQUENCE_NUMBER.exec(events.at(-1) ?? "")?.[1] ?? this.#next ?? 0) + 1;
    return toNamedFrames(events);
  }

  toErrorEvent(error: ApiError): string {
    const response = { id: this.#responseId, object: "response", status: "failed", error: toResponseError(error), output: [], usage: null };
    return JSON.stringify({ type: "response.failed", sequence_number: this.#next ?? 0, response });
  }

  /** Codex resets its idle timeout by events only. Other clients require `response.created` to be the first event. */
  get keepAlive(): string {
    return this.#next === undefined ? ": keep-alive\n\n" : 'event: keepalive\ndata: {"type":"keepalive"}\n\n';
  }
}

class ReadResponses extends ForeignRequest implements ModelRequest {
  readonly format = responsesFormat;
  readonly relayedAs = "responses";
  readonly formatHeaders: Readonly<Record<string, string>>;
  readonly #headers: HeaderFields;
  readonly #tools = new ResponseTools();
  readonly premium: PremiumDemand | undefined;

  constructor(body: JsonBody, headers: HeaderFields, premium: PremiumDemand | undefined) {
    super(body);
    this.premium = premium;
    this.formatHeaders = readFormatHeaders(FORMAT_HEADERS, headers);
    this.#headers = headers;
  }

  get session(): string | undefined {
    const { prompt_cache_key: name } = this.outline;
    return typeof name === "string" ? name : sessionIn(this.#headers);
  }

  protected override translate(keepsBreakpoints: boolean, origins: OriginMarks): ResponsesTranslation {
    return new ResponsesTranslation(this.#tools, keepsBreakpoints, this.byteText, origins);
  }

  get fromChat(): ResponseTranslation {
    return new FromChat(this.#tools, echoedFields(this.outline));
  }

  get untranslated(): readonly string[] {
    return untranslatedIn(this.outline);
  }

  get addedBytes(): number {
    return addedBytesIn(this.outline);
  }

  refuseUnsold(offer: PremiumOffer): void {
    refuseViolation(findUnserved(this.outline, offer));
  }

  get hostedSearch(): boolean {
    const { tools, input } = this.outline;
    return hasHostedSearch(tools) || (Array.isArray(input) && input.some((item: ToolItem) => hasHostedSearch(item.tools)));
  }

  get conversation(): ModelRequest["conversation"] {
    const { input } = this.body;
    return typeof input === "string" ? [{ role: "user", content: input }] : (input as ModelRequest["conversation"]);
  }
}

interface ToolItem {
  readonly tools?: unknown;
}

/** Retains the names of the tools, and not the prompt. */
class FromChat implements ResponseTranslation {
  readonly #tools: ResponseTools;
  readonly #echoed: ReturnType<typeof echoedFields>;

  constructor(tools: ResponseTools, echoed: ReturnType<typeof echoedFields>) {
    this.#tools = tools;
    this.#echoed = echoed;
  }

  completion(completion: Completion): Completion {
    return toResponse(completion, this.#tools, this.#echoed);
  }

  stream(chunks: ChunkStream): ChunkStream {
    return new TranslatedStream(chunks, new ResponseWriter(this.#tools, this.#echoed));
  }
}

/** Codex names its session, and within it the thread of each sub-agent. */
function sessionIn(headers: HeaderFields): string | undefined {
  return headers.get("session-id") ?? headers.get("session_id") ?? undefined;
}

function identitiesOf({ outline }: ModelRequest, headers: HeaderFields): NamedIdentities {
  const { user, safety_identifier: safetyIdentifier } = outline;
  return { users: [user, safetyIdentifier], conversations: [sessionIn(headers)] };
}

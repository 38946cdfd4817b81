import type { JsonBody } from "../../../http/read-json.ts";
import { toNamedFrames, type EventFormat } from "../../../http/sse.ts";
import type { HeaderFields } from "../../../lib/http1/header-fields.ts";
import { withField } from "../../../lib/json/json-text.ts";
import { isObject, type Schema } from "../../../lib/schema/schema.ts";
import { refuseViolation } from "../../../requests/api-error.ts";
import { fieldIn } from "../../../requests/chat-request.ts";
import { toMessagesError, usageToMessages } from "../../../requests/messages-api.ts";
import { PremiumDemand, type PremiumOffer } from "../../../requests/premium-demand.ts";
import { MODEL_PATHS } from "../../../requests/request-notes.ts";
import type { CallerFormat, ModelRequest, NamedIdentities } from "../caller-format.ts";
import { type OriginMarks, ForeignRequest, readFormatHeaders, TranslatedStream, type ResponseTranslation } from "../translation.ts";
import { MessageWriter, toMessage } from "./chat-to-messages.ts";
import { countTokensRequestSchema, findMessagesViolation, findUnserved, mediaBlocksIn } from "./messages-request.ts";
import { MessagesTranslation, untranslatedIn } from "./messages-to-chat.ts";

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages */
export const messagesFormat: CallerFormat = {
  name: "messages",
  path: MODEL_PATHS.messages,
  kind: "chat",
  errors: "messages",
  fieldNames: {
    max_completion_tokens: "max_tokens",
    stop: "stop_sequences",
    reasoning_effort: "output_config.effort",
    response_format: "output_config.format",
    parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
  },
  openEvents: () => MESSAGES_EVENTS,
  read(body, headers) {
    return readMessages(body, headers);
  },
  maxTokensOf: ({ outline }) => outline["max_tokens"] as number,
  choicesOf: () => 1,
  mediaPartsOf: ({ outline }) => mediaBlocksIn(outline),
  identitiesOf,
  agentOf,
  isFiltered,
  withUsage: (body, usage) => withField(body, "usage", JSON.stringify(usageToMessages(usage))),
};

/** The same format for `POST /v1/messages/count_tokens`, where a request has no output. */
export const countTokensFormat: CallerFormat = {
  ...messagesFormat,
  path: `${MODEL_PATHS.messages}/count_tokens`,
  read(body, headers) {
    return readMessages(body, headers, countTokensRequestSchema);
  },
};

function readMessages(body: JsonBody, headers: HeaderFields, schema?: Schema): ModelRequest {
  const demand = new PremiumDemand();
  refuseViolation(findMessagesViolation(body.outline, demand, schema));
  return new ReadMessages(body, headers, demand.isEmpty ? undefined : demand);
}

const FROM_CHAT: ResponseTranslation = { completion: toMessage, stream: (chunks) => new TranslatedStream(chunks, new MessageWriter()) };

function isFiltered(body: string): boolean {
  // The usual response is not parsed.
  if (!body.includes('"refusal"')) return false;
  const { content, stop_reason: reason } = JSON.parse(body) as { content?: unknown; stop_reason?: unknown };
  return reason === "refusal" && Array.isArray(content) && content.length === 0;
}

const MESSAGES_EVENTS: EventFormat = {
  toFrames: toNamedFrames,
  lastEvent: undefined,
  toErrorEvent: (error) => JSON.stringify(toMessagesError(error)),
  keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
};

/** The headers of the format that upstreams receive. */
const FORMAT_HEADERS = ["anthropic-version", "anthropic-beta"] as const;

const SESSION_HEADER = "x-claude-code-session-id";

class ReadMessages extends ForeignRequest implements ModelRequest {
  readonly format = messagesFormat;
  readonly relayedAs = "messages";
  readonly fromChat = FROM_CHAT;
  readonly formatHeaders: Readonly<Record<string, string>>;
  readonly session: string | undefined;
  readonly premium: PremiumDemand | undefined;

  constructor(body: JsonBody, headers: HeaderFields, premium: PremiumDemand | undefined) {
    super(body);
    this.premium = premium;
    this.formatHeaders = readFormatHeaders(FORMAT_HEADERS, headers);
    this.session = headers.get(SESSION_HEADER) ?? undefined;
  }

  protected override translate(keepsBreakpoints: boolean, origins: OriginMarks): MessagesTranslation {
    return new MessagesTranslation(keepsBreakpoints, this.byteText, origins);
  }

  refuseUnsold(offer: PremiumOffer): void {
    refuseViolation(findUnserved(this.outline, offer));
  }

  get untranslated(): readonly string[] {
    return untranslatedIn(this.outline);
  }

  get conversation(): ModelRequest["conversation"] {
    return this.body["messages"] as ModelRequest["conversation"];
  }
}

/**
 * The end user is `metadata.user_id`. Claude Code sends JSON in it, with the account of the person and the session, and names the session
 * in a header, too.
 */
function identitiesOf(request: ModelRequest, headers: HeaderFields): NamedIdentities {
  const metadata = fieldIn(request, "metadata");
  const userId = isObject(metadata) ? metadata["user_id"] : undefined;
  const session = headers.get(SESSION_HEADER);
  const parts = partsOf(userId);
  if (!parts) return { users: [userId], conversations: [session] };
  const { account_uuid: account, device_id: device, session_id: named } = parts;
  return { users: [account, device, userId], conversations: [session, named] };
}

/** Claude Code gives each sub-agent an ID, and names the type of some. An ID is not used as a name: each sub-agent would be another one. */
function agentOf(headers: HeaderFields): string | undefined {
  return headers.get("x-claude-code-agent-type") ?? (headers.get("x-claude-code-agent-id") === null ? undefined : "subagent");
}

function partsOf(userId: unknown): Record<string, unknown> | undefined {
  if (typeof userId !== "string" || !userId.startsWith("{")) return undefined;
  try {
    const parts: unknown = JSON.parse(userId);
    return isObject(parts) ? parts : undefined;
  } catch {
    return undefined;
  }
}

import type { JsonBody } from "../../http/read-json.ts";
import { CHAT_EVENTS } from "../../http/sse.ts";
import { withField } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { ByteText } from "../../lib/text/byte-text.ts";
import { SERVICE_TIER } from "../../models/parameters/parameter-policy.ts";
import { isTextPart } from "../../models/media/text-part.ts";
import { usageToWire } from "../../money/usage.ts";
import { refuseViolation } from "../../requests/api-error.ts";
import { withoutGatewayTags } from "../../requests/routes/with-defaults.ts";
import { findChatViolation, rewriteText, type ChatRequest, type NewNames, type NewValues } from "../../requests/chat-request.ts";
import { hasHourTtl } from "../../requests/cache-ttl.ts";
import { PremiumDemand } from "../../requests/premium-demand.ts";
import { isDefault } from "../../requests/map-parameters.ts";
import { MODEL_PATHS } from "../../requests/request-notes.ts";
import type { CallerFormat, ModelRequest, NamedIdentities } from "./caller-format.ts";

/** Chat completions: https://platform.openai.com/docs/api-reference/chat */
export const chatFormat: CallerFormat = {
  name: "chat",
  path: MODEL_PATHS.chat,
  kind: "chat",
  errors: "chat-completions",
  fieldNames: {},
  openEvents: () => CHAT_EVENTS,
  read(body) {
    refuseViolation(findChatViolation(body.outline));
    return new ReadChat(body);
  },
  maxTokensOf: maxTokensOfChat,
  choicesOf: ({ outline }) => (outline["n"] as number | null | undefined) ?? 1,
  mediaPartsOf,
  identitiesOf,
  isFiltered,
  withUsage: (body, usage) => withField(body, "usage", JSON.stringify(usageToWire(usage))),
};

/** The fields that the gateway acts on are read once; the rest of the body stays unchanged. */
export class ReadChat implements ModelRequest, ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly #body: JsonBody;
  #untagged: ChatRequest | undefined;

  constructor(body: JsonBody) {
    const { model, stream, stream_options: streamOptions } = body.outline;
    this.model = model as string;
    this.stream = stream === true;
    this.includeUsage = isObject(streamOptions) && streamOptions["include_usage"] === true;
    this.#body = body;
  }

  get format(): CallerFormat {
    return chatFormat;
  }

  get gatewayFields(): ChatRequest["outline"] {
    return this.#body.outline;
  }

  get session(): string | undefined {
    const { prompt_cache_key: name } = this.#body.outline;
    return typeof name === "string" ? name : undefined;
  }

  chatFor(): ChatRequest {
    return (this.#untagged ??= withoutGatewayTags(this));
  }

  get fromChat(): ModelRequest["fromChat"] {
    return undefined;
  }

  get relayed(): undefined {
    return undefined;
  }

  /** What is not sold is dropped, or refused by the parameter rules of each route. */
  get premium(): PremiumDemand | undefined {
    const { service_tier: tier } = this.outline;
    const hasTier = typeof tier === "string" && !isDefault(SERVICE_TIER, tier);
    const hasHourWrites = hasHourTtl(this);
    if (!hasTier && !hasHourWrites) return undefined;
    const demand = new PremiumDemand();
    if (hasTier) demand.multiplier(tier);
    if (hasHourWrites) demand.hourWrites();
    return demand;
  }

  get byteText(): ChatRequest["byteText"] {
    return this.#body.byteText;
  }

  get fields(): ChatRequest["fields"] {
    return this.#body.fields;
  }

  get outline(): ChatRequest["outline"] {
    return this.#body.outline;
  }

  get outlineText(): ChatRequest["outlineText"] {
    return this.#body.outlineText;
  }

  get text(): string {
    return this.#body.text;
  }

  get body(): ChatRequest["body"] {
    return this.#body.value;
  }

  rewrite(values: NewValues, names?: NewNames): ByteText[] {
    return rewriteText(this.#body, values, names);
  }

  get conversation(): ModelRequest["conversation"] {
    return this.messages;
  }

  get messages(): ChatRequest["messages"] {
    return this.body["messages"] as ChatRequest["messages"];
  }
}

/** The higher of `max_tokens` and `max_completion_tokens`, because upstreams differ in which of them they obey. */
export function maxTokensOfChat({ outline }: Pick<ChatRequest, "outline">): number | undefined {
  const { max_tokens: oldName, max_completion_tokens: newName } = outline as Record<string, number | null | undefined>;
  const requested = Math.max(newName ?? 0, oldName ?? 0);
  return requested > 0 ? requested : undefined;
}

function identitiesOf({ outline }: ModelRequest): NamedIdentities | undefined {
  const { user, safety_identifier: safetyIdentifier } = outline;
  return user == null && safetyIdentifier == null ? undefined : { users: [user, safetyIdentifier], conversations: [] };
}

function mediaPartsOf({ outline }: ModelRequest): Record<string, unknown>[] | undefined {
  let parts: Record<string, unknown>[] | undefined;
  for (const { content } of outline["messages"] as ChatRequest["messages"]) {
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      if (isObject(part) && !isTextPart(part)) (parts ??= []).push(part);
    }
  }
  return parts;
}

/** Whether a content filter ended every choice, and left no content. */
function isFiltered(body: string): boolean {
  // The usual response is not parsed.
  if (!body.includes('"content_filter"')) return false;
  const { choices } = JSON.parse(body) as { choices?: unknown };
  return Array.isArray(choices) && choices.length > 0 && choices.every(isEmptied);
}

function isEmptied(choice: unknown): boolean {
  if (!isObject(choice) || choice["finish_reason"] !== "content_filter") return false;
  const message = choice["message"];
  return !isObject(message) || (!message["content"] && !message["tool_calls"]);
}

import { ANYTHING, atStep, findViolation, isObject, type Path, type Schema, type Violation } from "../../../lib/schema/schema.ts";
import { hasLimitableResults, isLimitable, toolNameOf, type PremiumOffer } from "../../../requests/premium-demand.ts";
import { isGiven, violationOfReference } from "../provider-objects.ts";
import { shownType } from "../translation.ts";

const MAX_MESSAGES = 10_000;

const cacheControlSchema = {
  title: "CacheControl",
  type: "object",
  description: "A prompt-cache breakpoint, with the `ttl` `5m` or `1h`.",
  properties: { type: { type: "string" }, ttl: { type: "string" } },
} as const satisfies Schema;

const sourceSchema = {
  title: "BlockSource",
  type: "object",
  properties: { type: { type: "string" }, media_type: { type: "string" }, data: { type: "string" }, url: { type: "string" } },
} as const satisfies Schema;

/** The fields of blocks that the gateway reads. Blocks of other types travel on to the upstream. */
const blockFields = {
  type: { type: "string", minLength: 1 },
  text: { type: "string" },
  source: { oneOf: [sourceSchema, { type: "string" }] },
  id: { type: "string" },
  name: { type: "string" },
  input: ANYTHING,
  tool_use_id: { type: "string" },
  is_error: { type: "boolean" },
  thinking: { type: "string" },
  signature: { type: "string" },
  data: { type: "string" },
  title: { type: "string" },
  cache_control: cacheControlSchema,
} as const satisfies Record<string, Schema>;

const innerBlockSchema = { title: "InnerBlock", type: "object", required: ["type"], properties: blockFields } as const satisfies Schema;

const blockSchema = {
  title: "MessageBlock",
  type: "object",
  required: ["type"],
  properties: {
    ...blockFields,
    content: { oneOf: [{ type: "string" }, { type: "array", items: innerBlockSchema }, { type: "object" }] },
  },
} as const satisfies Schema;

const textOrBlocks = { oneOf: [{ type: "string" }, { type: "array", items: blockSchema }] } as const satisfies Schema;

const toolSchema = {
  title: "MessageTool",
  type: "object",
  properties: {
    type: { type: "string" },
    name: { type: "string" },
    description: { type: "string" },
    input_schema: { type: "object" },
    cache_control: cacheControlSchema,
  },
} as const satisfies Schema;

/** Fields that refer to what all callers of the operator's account would share, or to whom the operator's provider bills. */
const OF_OPERATORS_ACCOUNT = ["container", "mcp_servers", "thread", "diagnostics", "fallback_credit_token", "billing_policy"] as const;

/** Options that multiply the price of a request, with the values that do not. */
const OPTIONS: Readonly<Record<string, ReadonlySet<unknown>>> = {
  speed: new Set(["standard"]),
  inference_geo: new Set(["global"]),
  service_tier: new Set(["auto", "standard_only"]),
};

/** Fields that change the price of a request in ways that no price says. */
const BILLED_FIELDS = ["fallbacks", "compaction"] as const;

export const messagesRequestSchema = {
  title: "MessagesRequest",
  type: "object",
  description: "A request of Anthropic's Messages API. Fields that are not listed here travel on to upstreams that speak the same format.",
  required: ["model", "messages", "max_tokens"],
  reserved: { ...Object.fromEntries([...OF_OPERATORS_ACCOUNT, ...BILLED_FIELDS].map((name) => [name, true])), ...OPTIONS },
  properties: {
    model: { type: "string", minLength: 1, description: "Id of the model to call." },
    messages: {
      type: "array",
      minItems: 1,
      maxItems: MAX_MESSAGES,
      description: "Ordered list of messages.",
      items: {
        title: "MessagesMessage",
        type: "object",
        required: ["role"],
        properties: { role: { type: "string", enum: ["user", "assistant", "system"] }, content: textOrBlocks },
      },
    },
    max_tokens: { type: "integer", minimum: 0, description: "The most output tokens, thinking included." },
    system: textOrBlocks,
    stream: { type: "boolean", default: false, description: "When true the reply is streamed as server-sent events." },
    temperature: { type: "number" },
    top_p: { type: "number" },
    top_k: { type: "integer" },
    stop_sequences: { type: "array", items: { type: "string" } },
    tools: { type: "array", items: toolSchema },
    tool_choice: {
      title: "MessageToolChoice",
      type: "object",
      properties: { type: { type: "string" }, name: { type: "string" }, disable_parallel_tool_use: { type: "boolean" } },
    },
    thinking: { title: "Thinking", type: "object", properties: { type: { type: "string" }, budget_tokens: { type: "integer" } } },
    output_config: { title: "OutputConfig", type: "object", properties: { effort: { type: "string" }, format: { type: "object" } } },
    context_management: { title: "ContextManagement", type: "object", properties: { edits: { type: "array", items: { type: "object" } } } },
    metadata: { title: "MessagesMetadata", type: "object", properties: { user_id: { type: "string" } } },
    cache_control: cacheControlSchema,
  },
} as const satisfies Schema;

/** A request to count the tokens of a prompt. */
export const countTokensRequestSchema = {
  ...messagesRequestSchema,
  title: "CountTokensRequest",
  description: "The prompt of a request of Anthropic's Messages API.",
  required: ["model", "messages"],
} as const satisfies Schema;

/** The first violation in a request body, or undefined. `offer` is asked for what has a price of its own. */
export function findMessagesViolation(body: unknown, offer: PremiumOffer, schema: Schema = messagesRequestSchema): Violation | undefined {
  return findViolation(schema, body) ?? findMissingContent(body as Json) ?? findUnserved(body as Json, offer);
}

/** Only a system message may consist of other fields. */
function findMissingContent(body: Json): Violation | undefined {
  const messages = body["messages"] as readonly Json[];
  const index = messages.findIndex(({ role, content }) => role !== "system" && content == null);
  return index < 0 ? undefined : { problem: "missing", path: ["messages", index, "content"], message: "is required" };
}

type Json = Readonly<Record<string, unknown>>;

/** Anthropic samples the model at most this often for one response. */
const MAX_SAMPLINGS = 10;

/** Tools that run at the client. All others with a type run at the provider, for a fee or by sampling the model several times. */
const CLIENT_TOOLS = /^(?:custom|(?:bash|text_editor|computer|memory|computer_toolset|browser_toolset)_\d{8})$/;

/** The first part of a request that this gateway does not serve: what callers would share, and what is not on offer. */
export function findUnserved(body: Json, offer: PremiumOffer): Violation | undefined {
  for (const name of OF_OPERATORS_ACCOUNT) {
    if (isGiven(body[name])) return unserved([name], "is about the operator's account at the provider, which all callers would share");
  }
  for (const name of BILLED_FIELDS) {
    if (isGiven(body[name])) return unserved([name], "changes the price, and the model has no price for it");
  }
  for (const name in OPTIONS) {
    const value = body[name];
    if (!isGiven(value) || OPTIONS[name]!.has(value) || (typeof value === "string" && offer.multiplier(value))) continue;
    return unserved([name], "changes the price, and the model has no price for it");
  }
  const { tools, messages, system, cache_control: breakpoint } = body;
  return (
    findServerTool(tools, offer) ??
    findCompaction(body["context_management"], offer) ??
    at("messages", findInside(messages, offer)) ??
    at("system", findInside(system, offer)) ??
    at("tools", findInside(tools, offer)) ??
    findLongCaching(breakpoint, offer)
  );
}

function at(step: string | number, violation: Violation | undefined): Violation | undefined {
  return violation && atStep(step, violation);
}

/** A relay adds limits to the request's own tools, not inside messages. */
function findMissingLimit({ type, max_uses: maxUses, max_content_tokens: resultTokens }: Json): Violation | undefined {
  if (isLimitable(type) && maxUses == null) return { problem: "missing", path: ["max_uses"], message: "is required" };
  const isMissing = hasLimitableResults(type) && resultTokens == null;
  return isMissing ? { problem: "missing", path: ["max_content_tokens"], message: "is required" } : undefined;
}

function findServerTool(tools: unknown, offer: PremiumOffer): Violation | undefined {
  if (!Array.isArray(tools)) return undefined;
  for (const [index, tool] of (tools as readonly Json[]).entries()) {
    const violation = violationOfTool(tool, offer);
    if (violation) return atStep("tools", atStep(index, violation));
  }
  return undefined;
}

function violationOfTool(tool: Json, offer: PremiumOffer): Violation | undefined {
  const { type, name, max_uses: maxUses, max_content_tokens: resultTokens } = tool;
  const isCustom = type == null || type === "custom";
  if (isCustom && (typeof name !== "string" || name === "")) return { problem: "missing", path: ["name"], message: "is required" };
  if (typeof type !== "string" || CLIENT_TOOLS.test(type)) return undefined;
  for (const limit of ["max_uses", "max_content_tokens"]) {
    const value = tool[limit];
    if (value == null || (Number.isSafeInteger(value) && Number(value) > 0)) continue;
    return { problem: "invalid", path: [limit], message: "must be an integer of at least 1" };
  }
  const maxCalls = isLimitable(type) ? ((maxUses as number | null | undefined) ?? undefined) : MAX_SAMPLINGS;
  if (offer.tool(toolNameOf(type), { maxCalls, resultTokens: (resultTokens as number | null | undefined) ?? undefined })) return undefined;
  return unserved([], `is of type ${shownType(type)}, which runs at the provider, and the model has no price for that`);
}

function findCompaction(management: unknown, offer: PremiumOffer): Violation | undefined {
  const edits = isObject(management) && Array.isArray(management["edits"]) ? management["edits"] : [];
  const index = edits.findIndex((edit: Json) => String(edit["type"]).startsWith("compact"));
  if (index < 0 || offer.compaction()) return undefined;
  return unserved(["context_management", "edits", index], "is not served: compaction at the provider costs more than the request says");
}

/** Fields whose content is the model's or the client's own, and not the API's. */
const OPAQUE: ReadonlySet<string> = new Set(["input", "input_schema"]);

/** Blocks may be nested at any depth, and messages may define tools. */
function findInside(value: unknown, offer: PremiumOffer): Violation | undefined {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const violation = typeof value[index] === "object" ? findInside(value[index], offer) : undefined;
      if (violation) return atStep(index, violation);
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { definition } = value;
  const ofTool = isObject(definition) ? (violationOfTool(definition, offer) ?? findMissingLimit(definition)) : undefined;
  if (ofTool) return atStep("definition", ofTool);
  const ofCaching = findLongCaching(value["cache_control"], offer);
  if (ofCaching) return ofCaching;
  for (const name in value) {
    const ofReference = violationOfReference(name, value[name]);
    if (ofReference) return ofReference;
    if (typeof value[name] !== "object" || OPAQUE.has(name)) continue;
    const violation = findInside(value[name], offer);
    if (violation) return atStep(name, violation);
  }
  return undefined;
}

function findLongCaching(breakpoint: unknown, offer: PremiumOffer): Violation | undefined {
  const ttl = isObject(breakpoint) ? breakpoint["ttl"] : undefined;
  if (ttl == null || ttl === "5m" || (ttl === "1h" && offer.hourWrites())) return undefined;
  return unserved(["cache_control", "ttl"], 'must be "5m": the model has no price for writing to the cache for longer');
}

function unserved(path: Path, message: string): Violation {
  return { problem: "unknown", path, message };
}

/** Types of blocks that consist of text, or of data that the length of the body covers. */
const BLOCKS_WITHOUT_MEDIA =
  /^(?:text|thinking|redacted_thinking|\w*tool_use|\w*tool_result|tool_reference|tool_addition|tool_removal|mcp_tool_listing|search_result|compaction|fallback)$/;

/** The blocks with media, wherever they are; undefined if there are none, as in most requests. */
export function mediaBlocksIn(outline: Json): Json[] | undefined {
  const found: Json[] = [];
  for (const { content } of outline["messages"] as readonly Json[]) collectBlocks(content, found);
  collectBlocks(outline["system"], found);
  return found.length > 0 ? found : undefined;
}

/** A block of a type that nobody knows counts as a medium. */
function collectBlocks(content: unknown, found: Json[]): void {
  if (!Array.isArray(content)) return;
  for (const block of content as readonly Json[]) {
    if (isMedium(block) || !(isDocument(block) || BLOCKS_WITHOUT_MEDIA.test(String(block["type"])))) found.push(block);
    else collectMedia(block, found);
  }
}

/** Results of tools may have documents and images at any depth. */
function collectMedia(value: unknown, found: Json[]): void {
  if (Array.isArray(value)) for (const item of value) collectMedia(item, found);
  if (!isObject(value)) return;
  if (isMedium(value)) found.push(value);
  else for (const name in value) if (!OPAQUE.has(name) && typeof value[name] === "object") collectMedia(value[name], found);
}

/** Documents of text, or of other blocks, are text themselves. */
function isMedium({ type, source }: Json): boolean {
  if (!isObject(source)) return type === "image" || type === "document";
  return source["type"] !== "text" && source["type"] !== "content";
}

function isDocument({ type }: Json): boolean {
  return type === "document";
}

import { ANYTHING, atStep, findViolation, isObject, type Path, type Schema, type Violation } from "../../../lib/schema/schema.ts";
import { isTextPart } from "../../../models/media/text-part.ts";
import { isHostedSearch, isPreviewSearch } from "../../../requests/responses-api.ts";
import { DEFAULT_TOOL_CALLS, toolNameOf, type PremiumOffer } from "../../../requests/premium-demand.ts";
import { isGiven, violationOfReference } from "../provider-objects.ts";
import { shownType } from "../translation.ts";

type Json = Readonly<Record<string, unknown>>;

const MAX_ITEMS = 10_000;

/** Fields that refer to what is stored at the provider, which all callers of the gateway would share, or to the operator's account. */
const OF_OPERATORS_ACCOUNT = ["previous_response_id", "conversation", "prompt", "access_programs"] as const;

/** Fields that change the price of a request, or what is stored, with the values that do not. */
const FIXED_FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  background: [false],
  store: [false],
  search_parameters: [],
  web_search_options: [],
};

/** The service tiers at the usual rates. */
const USUAL_TIERS: ReadonlySet<unknown> = new Set(["auto", "default"]);

const cachingSchema = {
  title: "PromptCaching",
  type: "object",
  nullable: true,
  properties: { mode: ANYTHING, ttl: ANYTHING, prewarm: ANYTHING, comparison_response_id: ANYTHING },
} as const satisfies Schema;

const partSchema = {
  title: "ResponsePart",
  type: "object",
  properties: {
    type: { type: "string" },
    text: { type: "string" },
    refusal: { type: "string" },
    image_url: { oneOf: [{ type: "string", nullable: true }, { type: "object" }] },
    detail: { type: "string", nullable: true },
    file_data: { type: "string", nullable: true },
    file_url: { type: "string", nullable: true },
    filename: { type: "string", nullable: true },
    input_audio: { title: "ResponseAudio", type: "object", properties: { data: { type: "string" }, format: { type: "string" } } },
    prompt_cache_breakpoint: cachingSchema,
  },
} as const satisfies Schema;

const toolSchema = {
  title: "ResponseTool",
  type: "object",
  required: ["type"],
  properties: {
    type: { type: "string", minLength: 1 },
    name: { type: "string" },
    description: { type: "string", nullable: true },
    parameters: { type: "object", nullable: true },
    strict: { type: "boolean", nullable: true },
    format: { type: "object" },
    execution: { type: "string", nullable: true },
    tools: { type: "array", items: { title: "NestedTool", type: "object" } },
  },
} as const satisfies Schema;

const textOrParts = {
  oneOf: [
    { type: "string", nullable: true },
    { type: "array", items: partSchema },
  ],
} as const satisfies Schema;

/** The result of the computer tool is one object. */
const outputSchema = {
  oneOf: [{ type: "string", nullable: true }, { type: "array", items: partSchema }, partSchema],
} as const satisfies Schema;

/** The fields of items that the gateway reads. Items of other types travel on to upstreams that speak the same format. */
const itemSchema = {
  title: "InputItem",
  type: "object",
  properties: {
    type: { type: "string", nullable: true },
    role: { type: "string", enum: ["user", "assistant", "system", "developer"] },
    content: textOrParts,
    id: { type: "string", nullable: true },
    call_id: { type: "string", nullable: true },
    name: { type: "string", nullable: true },
    namespace: { type: "string", nullable: true },
    arguments: ANYTHING,
    input: ANYTHING,
    output: outputSchema,
    tools: { type: "array", items: toolSchema },
    encrypted_content: { type: "string", nullable: true },
  },
} as const satisfies Schema;

const count = { type: "integer", nullable: true, minimum: 1 } as const satisfies Schema;
const number = { type: "number", nullable: true } as const satisfies Schema;
const name = { type: "string", nullable: true } as const satisfies Schema;

export const responsesRequestSchema = {
  title: "ResponsesRequest",
  type: "object",
  description: "A request of OpenAI's Responses API. Fields that are not listed here travel on to upstreams that speak the same format.",
  required: ["model", "input"],
  reserved: {
    ...Object.fromEntries(OF_OPERATORS_ACCOUNT.map((field) => [field, true])),
    ...Object.fromEntries(Object.keys(FIXED_FIELDS).map((field) => [field, true])),
    service_tier: true,
  },
  properties: {
    model: { type: "string", minLength: 1, description: "Id of the model to call." },
    input: {
      oneOf: [{ type: "string" }, { type: "array", items: itemSchema, minItems: 1, maxItems: MAX_ITEMS }],
      description: "The conversation: a text, or its items. Nothing is stored, so each request has all of them.",
    },
    instructions: { type: "string", nullable: true, description: "The system message." },
    max_output_tokens: { ...count, description: "The most output tokens, reasoning included." },
    stream: { type: "boolean", nullable: true, default: false, description: "When true the reply is streamed as server-sent events." },
    temperature: number,
    top_p: number,
    max_tool_calls: count,
    tools: { type: "array", nullable: true, items: toolSchema },
    tool_choice: {
      oneOf: [
        { type: "string", nullable: true },
        {
          title: "ResponseToolChoice",
          type: "object",
          properties: {
            type: { type: "string" },
            name,
            namespace: name,
            mode: { type: "string" },
            tools: { type: "array", items: { title: "AllowedTool", type: "object", properties: { type: { type: "string" }, name } } },
          },
        },
      ],
    },
    parallel_tool_calls: { type: "boolean", nullable: true },
    reasoning: { title: "ResponseReasoning", type: "object", nullable: true, properties: { effort: name, summary: name, mode: name } },
    text: {
      title: "ResponseText",
      type: "object",
      nullable: true,
      properties: { format: { type: "object", nullable: true }, verbosity: name },
    },
    prompt_cache_key: name,
    prompt_cache_options: cachingSchema,
    context_management: { type: "array", nullable: true, items: { title: "ContextEdit", type: "object" } },
    safety_identifier: name,
    user: name,
    metadata: { type: "object", nullable: true },
    include: { type: "array", nullable: true, items: { type: "string" } },
    truncation: name,
  },
} as const satisfies Schema;

/** The first violation in a request body, or undefined. `offer` is asked for what has a price of its own. */
export function findResponsesViolation(body: unknown, offer: PremiumOffer): Violation | undefined {
  return findViolation(responsesRequestSchema, body) ?? findUnserved(body as Json, offer);
}

/** Fields whose other values need an explanation of their own. */
const REASONS: Readonly<Record<string, string>> = {
  background: "is not served: this gateway stores no responses, so that nobody could fetch one later",
  store: "must be false: this gateway stores no responses",
};

/** The first part of a request that this gateway does not serve. */
export function findUnserved(body: Json, offer: PremiumOffer): Violation | undefined {
  for (const field of OF_OPERATORS_ACCOUNT) {
    if (body[field] != null) return unserved([field], REFERENCES[field]);
  }
  for (const field in FIXED_FIELDS) {
    const value = body[field];
    if (value == null || FIXED_FIELDS[field]!.includes(value)) continue;
    return unserved([field], REASONS[field] ?? "changes the price, and the model has no price for it");
  }
  const { input, tools, tool_choice: choice, context_management: edits, prompt_cache_options: caching, reasoning } = body;
  const { service_tier: tier, max_tool_calls: maxCalls } = body;
  if (tier != null && !USUAL_TIERS.has(tier) && !(typeof tier === "string" && offer.multiplier(tier))) {
    return unserved(["service_tier"], "changes the price, and the model has no price for it");
  }
  const asked: AskedTools = {
    offer,
    totalCalls: (maxCalls as number | null | undefined) ?? DEFAULT_TOOL_CALLS,
    requiredSearch: isObject(choice) && isHostedSearch(choice) ? choice : undefined,
  };
  if (Array.isArray(edits) && edits.length > 0 && !offer.compaction()) {
    return unserved(["context_management"], "is not served: compaction at the provider costs more than the request says");
  }
  const { mode } = isObject(reasoning) ? reasoning : {};
  if (mode != null && mode !== "standard") return unserved(["reasoning", "mode"], "changes the price, and the model has no price for it");
  return (
    findLongCaching(caching, ["prompt_cache_options"]) ??
    findRequiredSearch(asked) ??
    inTools(tools, ["tools"], asked) ??
    at("tools", findInside(tools)) ??
    (Array.isArray(input) ? findInItems(input, asked) : undefined)
  );
}

const REFERENCES: Readonly<Record<(typeof OF_OPERATORS_ACCOUNT)[number], string>> = {
  previous_response_id: "is not served: this gateway stores no responses. Send all items of the conversation as input",
  conversation: "is not served: this gateway stores no conversations. Send all items of the conversation as input",
  prompt: "refers to the operator's account at the provider, which all callers would share: send the text of the prompt",
  access_programs: "is about the operator's account at the provider, which all callers would share",
};

/** Writing to the cache for longer costs more than the price of a model says, and warming it up generates nothing. */
function findLongCaching(caching: unknown, path: Path): Violation | undefined {
  if (!isObject(caching)) return undefined;
  const { ttl, prewarm, comparison_response_id: compared } = caching;
  if (ttl != null && ttl !== "30m") {
    return unserved([...path, "ttl"], 'must be "30m": the model has no price for writing to the cache for longer');
  }
  if (prewarm === true) return unserved([...path, "prewarm"], "is not served");
  if (compared == null) return undefined;
  return unserved([...path, "comparison_response_id"], "is not served: this gateway stores no responses");
}

/** Tools that run at the client. All others run at the provider, for a fee or by sampling the model several times. */
const CLIENT_TOOLS: ReadonlySet<unknown> = new Set([
  "function",
  "custom",
  "namespace",
  "local_shell",
  "apply_patch",
  "computer",
  "computer_use_preview",
]);

/** How a request asks for tools that run at the provider. */
interface AskedTools {
  readonly offer: PremiumOffer;
  /** The most calls of all of them. */
  readonly totalCalls: number;
  /** The choice of web search, if the request requires it. Otherwise the request can be served without it. */
  readonly requiredSearch: Json | undefined;
}

function inTools(tools: unknown, path: Path, asked: AskedTools): Violation | undefined {
  if (!Array.isArray(tools)) return undefined;
  for (const [index, tool] of (tools as readonly Json[]).entries()) {
    const violation = isObject(tool) ? (violationOfTool(tool, asked) ?? inTools(tool["tools"], ["tools"], asked)) : undefined;
    if (violation) return { ...violation, path: [...path, index, ...violation.path] };
  }
  return undefined;
}

function findRequiredSearch({ offer, totalCalls, requiredSearch }: AskedTools): Violation | undefined {
  if (!requiredSearch || (!isPreviewSearch(requiredSearch) && offer.tool("web_search", { totalCalls }))) return undefined;
  return unserved(["tool_choice"], "requires web search, which runs at the provider, and the model has no price for that");
}

/** Tools that refer to what is stored at the provider, or whose use no price says. */
const NEVER_SOLD: ReadonlySet<unknown> = new Set(["file_search", "image_generation"]);

function violationOfTool(tool: Json, { offer, totalCalls, requiredSearch }: AskedTools): Violation | undefined {
  const { type, name: called, execution, environment } = tool;
  if ((type === "function" || type === "custom" || type === "namespace") && (typeof called !== "string" || called === "")) {
    return { problem: "missing", path: ["name"], message: "is required" };
  }
  if (CLIENT_TOOLS.has(type)) return undefined;
  if (isHostedSearch(tool)) {
    // If it is not sold, the request is served without it.
    if (!requiredSearch && !isPreviewSearch(tool)) offer.tool("web_search", { totalCalls, isOptional: true });
    return undefined;
  }
  if (type === "tool_search" && execution === "client") return undefined;
  if (type === "shell" && isObject(environment) && environment["type"] === "local") return undefined;
  if (!NEVER_SOLD.has(type) && offer.tool(toolNameOf(String(type)), { totalCalls })) return undefined;
  return unserved([], `is of type ${shownType(type)}, which runs at the provider, and the model has no price for that`);
}

function findInItems(items: readonly Json[], asked: AskedTools): Violation | undefined {
  for (const [index, item] of items.entries()) {
    const violation = violationOfItem(item, asked);
    if (violation) return atStep("input", atStep(index, violation));
  }
  return undefined;
}

function violationOfItem(item: Json, asked: AskedTools): Violation | undefined {
  const { type, role, tools } = item;
  if (type === "item_reference" || (type == null && role == null)) {
    const message = "refers to an item at the provider, and this gateway stores none: send the item itself";
    return item["id"] != null || type === "item_reference"
      ? unserved([], message)
      : { problem: "missing", path: ["type"], message: "is required" };
  }
  if (type === "compaction_trigger" && !asked.offer.compaction())
    return unserved([], "is not served: compaction at the provider costs more than the request says");
  return inTools(tools, ["tools"], asked) ?? findMissing(item) ?? findInside(item);
}

/** Items without their content refer to what the provider has stored. */
function findMissing({ type, role, content, name: called, result }: Json): Violation | undefined {
  const isMessage = type == null || type === "message";
  if (isMessage && role == null) return { problem: "missing", path: ["role"], message: "is required" };
  if (isMessage && content == null) return { problem: "missing", path: ["content"], message: "is required" };
  const isCall = type === "function_call" || type === "custom_tool_call";
  if (isCall && (typeof called !== "string" || called === "")) return { problem: "missing", path: ["name"], message: "is required" };
  if (type !== "image_generation_call" || typeof result === "string") return undefined;
  return { problem: "missing", path: ["result"], message: "is required: this gateway stores no images" };
}

/** Fields whose content is the model's, the client's or another server's own. Annotations only cite what the provider has stored. */
const OPAQUE: ReadonlySet<string> = new Set([
  "arguments",
  "input",
  "parameters",
  "input_schema",
  "output_schema",
  "annotations",
  "headers",
  "env",
]);

/** Tools, items and parts may be nested at any depth. */
function findInside(value: unknown): Violation | undefined {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const violation = typeof value[index] === "object" ? findInside(value[index]) : undefined;
      if (violation) return atStep(index, violation);
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  // It is unknown which of the two the provider reads.
  if (value["file_data"] != null && value["file_url"] != null) return unserved(["file_url"], "must not be sent together with file_data");
  for (const field in value) {
    const violation = violationOfField(field, value[field]);
    if (violation) return violation;
  }
  return undefined;
}

function violationOfField(field: string, value: unknown): Violation | undefined {
  const violation = violationOfReference(field, value);
  if (violation) return violation;
  if (field === "container" || field === "environment") return at(field, violationOfEnvironment(field, value));
  if (field === "prompt_cache_breakpoint") return findLongCaching(value, [field]);
  return typeof value === "object" && !OPAQUE.has(field) ? at(field, findInside(value)) : undefined;
}

/** Where tools run: in a container that the provider creates for the request, or at the client. */
const ENVIRONMENTS: ReadonlySet<unknown> = new Set(["auto", "container_auto", "local"]);

/** A text is the ID of a container, or the operating system of a computer tool. */
function violationOfEnvironment(field: string, value: unknown): Violation | undefined {
  if (value == null || (field === "environment" && typeof value === "string")) return undefined;
  if (!isObject(value) || !ENVIRONMENTS.has(value["type"])) {
    return unserved([], "refers to a container at the provider, which all callers of this gateway would share");
  }
  for (const option in value) {
    if (option === "type" || !isGiven(value[option])) continue;
    // Skills of a local environment are folders of the client.
    if (option !== "skills" || value["type"] !== "local") {
      return violationOfReference(option, value[option]) ?? unserved([option], "is not served: containers have the default options only");
    }
    const violation = findInside(value[option]);
    if (violation) return atStep(option, violation);
  }
  return undefined;
}

function at(step: string, violation: Violation | undefined): Violation | undefined {
  return violation && atStep(step, violation);
}

function unserved(path: Path, message: string): Violation {
  return { problem: "unknown", path, message };
}

/** The parts with media, wherever they are, in the form of chat completions; undefined if there are none, as in most requests. */
export function mediaPartsIn({ input }: Json): Json[] | undefined {
  if (!Array.isArray(input)) return undefined;
  const found: Json[] = [];
  for (const { content, output } of input as readonly Json[]) {
    collectMedia(content, found);
    collectMedia(output, found);
  }
  return found.length > 0 ? found : undefined;
}

function collectMedia(value: unknown, found: Json[]): void {
  if (Array.isArray(value)) for (const part of value) collectMedia(part, found);
  if (!isObject(value) || typeof value["type"] !== "string" || value["type"] === "encrypted_content" || isTextPart(value)) return;
  const { type, file_data: data, filename } = value;
  found.push(type === "input_file" && data != null ? { type: "file", file: { file_data: data, filename } } : value);
}

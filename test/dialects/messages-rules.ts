/**
 * The rules of the Messages API, as strict as the API: the response to a request that violates a rule. They are written from its
 * documentation, and share no code with the tested dialect.
 */

type Json = Record<string, unknown>;

const KNOWN_FIELDS = new Set([
  "model",
  "messages",
  "max_tokens",
  "system",
  "stream",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "metadata",
  "cache_control",
  "inference_geo",
  "speed",
  "context_management",
]);

/** The API's error for a request; undefined if the request is valid. */
export function problemOfRequest(body: Json, isOfCount = false): string | undefined {
  if (isOfCount) return "max_tokens" in body ? "max_tokens: Extra inputs are not permitted" : problemOfRequest({ ...body, max_tokens: 1 });
  return [...problemsOf(body)][0];
}

/** Vertex AI's error for a request. Its body has a version but no model, no automatic caching, and no URLs to fetch. */
export function problemOfVertexRequest({ anthropic_version: version, ...body }: Json, betas: readonly string[] = []): string | undefined {
  if (version !== "vertex-2023-10-16") return "anthropic_version: Field required";
  if ("model" in body) return "model: Extra inputs are not permitted";
  return problemOfCloudRequest(body, betas, VERTEX_BETAS);
}

/** Bedrock's error for a Messages request, whose body has its version and betas, and neither a model nor `stream`. */
export function problemOfInvokeRequest({ anthropic_version: version, anthropic_beta: betas = [], ...body }: Json): string | undefined {
  if (version !== "bedrock-2023-05-31") return "anthropic_version: Field required";
  for (const name of ["model", "stream"]) if (name in body) return `${name}: Extra inputs are not permitted`;
  return problemOfCloudRequest(body, betas as string[], BEDROCK_BETAS);
}

/** The betas that the clouds accept. */
const BEDROCK_BETAS: ReadonlySet<string> = new Set([
  "interleaved-thinking-2025-05-14",
  "context-management-2025-06-27",
  "computer-use-2025-01-24",
  "tool-search-tool-2025-10-19",
  "tool-examples-2025-10-29",
  "context-1m-2025-08-07",
  "fine-grained-tool-streaming-2025-05-14",
]);
const VERTEX_BETAS: ReadonlySet<string> = new Set([
  "web-search-2025-03-05",
  "interleaved-thinking-2025-05-14",
  "context-management-2025-06-27",
  "computer-use-2025-01-24",
  "tool-search-tool-2025-10-19",
  "context-1m-2025-08-07",
]);

/** The error of a cloud for a Messages request: it rejects betas that it does not know, and fields whose beta is missing. */
function problemOfCloudRequest(body: Json, betas: readonly string[], accepted: ReadonlySet<string>): string | undefined {
  return [...problemsOfBetas(body, new Set(betas), accepted)][0] ?? problemOfRequest({ model: "m", ...body });
}

function* problemsOfBetas(body: Json, betas: ReadonlySet<string>, accepted: ReadonlySet<string>): Generator<string> {
  const { tools = [], context_management: management } = body;
  for (const beta of betas) if (!accepted.has(beta)) yield "invalid beta flag";
  for (const name of ["cache_control", "inference_geo"]) if (name in body) yield `${name}: Extra inputs are not permitted`;
  if (management !== undefined && !betas.has("context-management-2025-06-27")) yield "context_management: Extra inputs are not permitted";
  const known = new Set(["type", "name", "description", "input_schema", "cache_control", "strict"]);
  if (betas.has("tool-search-tool-2025-10-19")) known.add("defer_loading");
  if (betas.has("tool-examples-2025-10-29")) known.add("input_examples");
  for (const [at, tool] of (tools as Json[]).entries()) {
    for (const name in tool) if (!known.has(name)) yield `tools.${at}.custom.${name}: Extra inputs are not permitted`;
  }
  const text = JSON.stringify(body);
  if (text.includes('"source":{"type":"url"')) yield "messages: URL sources are not supported";
  if (/"cache_control":(?:null|\{[^{}]*"scope")/.test(text)) yield "cache_control.ephemeral.scope: Extra inputs are not permitted";
}

function* problemsOf(body: Json): Generator<string> {
  for (const name of Object.keys(body)) if (!KNOWN_FIELDS.has(name)) yield `${name}: Extra inputs are not permitted`;
  if (typeof body["model"] !== "string") yield "model: Field required";
  if (!isCount(body["max_tokens"])) yield "max_tokens: Field required";
  if (body["system"] !== undefined) yield* problemsOfText(body["system"], "system");
  yield* problemsOfTurns(body["messages"]);
  yield* problemsOfSampling(body);
  yield* problemsOfTools(body);
  yield* problemsOfThinking(body);
  yield* problemsOfOutput(body["output_config"]);
  const { metadata, stop_sequences: stops = [] } = body;
  if (metadata !== undefined && !/^(?!.*@.*\.).{1,256}$/s.test(String((metadata as Json)["user_id"]))) yield "metadata.user_id: not opaque";
  for (const stop of stops as string[]) if (stop.trim() === "") yield "stop_sequences: each stop sequence must contain non-whitespace";
}

function* problemsOfTurns(turns: unknown): Generator<string> {
  if (!Array.isArray(turns) || turns.length === 0) return yield "messages: at least one message is required";
  let speakers = 0;
  for (const [at, { role, content: given }] of (turns as { role: string; content: Json[] | string }[]).entries()) {
    const place = `messages.${at}`;
    // System messages may come at any place after the first message.
    if (role === "system" && at > 0) continue;
    const content = typeof given === "string" ? [{ type: "text", text: given }] : given;
    if (role !== (speakers++ % 2 === 0 ? "user" : "assistant")) yield `${place}: roles must alternate, and the first must be user`;
    if (!Array.isArray(content) || content.length === 0) yield `${place}: all messages must have non-empty content`;
    for (const block of content) yield* problemsOfBlock(block, role, place);
    const firstOther = content.findIndex(({ type }) => type !== "tool_result");
    if (firstOther >= 0 && content.slice(firstOther).some(({ type }) => type === "tool_result")) {
      yield `${place}: tool_result blocks must come first`;
    }
  }
  const last = (turns as { role: string; content: Json[] }[]).at(-1)!;
  const text = last.role === "assistant" && typeof last.content !== "string" ? last.content.at(-1)?.["text"] : undefined;
  if (typeof text === "string" && text !== text.trimEnd()) yield "messages: final assistant content cannot end with trailing whitespace";
}

function* problemsOfBlock(block: Json, role: string, place: string): Generator<string> {
  const { type, id, tool_use_id: toolUseId, name, input, content } = block;
  const isAssistants = type === "text" || type === "tool_use" || type === "thinking" || type === "redacted_thinking";
  const isUsers = type === "text" || type === "image" || type === "document" || type === "tool_result";
  if (role === "assistant" ? !isAssistants : !isUsers) yield `${place}: a ${role} cannot say ${String(type)}`;
  if (type === "text" && !hasText(block["text"])) yield `${place}: text content blocks must contain non-whitespace text`;
  if (type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(String(id))) yield `${place}.id: String should match pattern`;
  if (type === "tool_use" && !/^[a-zA-Z0-9_-]{1,128}$/.test(String(name))) yield `${place}.name: String should match pattern`;
  if (type === "tool_use" && !isObject(input)) yield `${place}.input: Input should be a valid dictionary`;
  if (type === "tool_result" && !/^[a-zA-Z0-9_-]+$/.test(String(toolUseId))) yield `${place}.tool_use_id: String should match pattern`;
  if (type === "thinking" && typeof block["signature"] !== "string") yield `${place}.signature: Field required`;
  if (type === "redacted_thinking" && typeof block["data"] !== "string") yield `${place}.data: Field required`;
  if (type === "image" || type === "document") yield* problemsOfSource(block["source"] as Json, type, place);
  if (type === "tool_result" && Array.isArray(content)) for (const part of content as Json[]) yield* problemsOfBlock(part, "user", place);
}

function* problemsOfSource(source: Json, type: string, place: string): Generator<string> {
  const { type: kind, media_type: mediaType, data, url } = source;
  const isGood =
    (kind === "base64" &&
      hasText(data) &&
      (type === "image" ? /^image\/(jpeg|png|gif|webp)$/ : /^application\/pdf$/).test(String(mediaType))) ||
    (kind === "text" && type === "document" && mediaType === "text/plain" && hasText(data)) ||
    (kind === "url" && /^https:/i.test(String(url)));
  if (!isGood) yield `${place}.source: Input should be a valid source`;
}

function* problemsOfSampling({ temperature, top_p: topP, top_k: topK, thinking }: Json): Generator<string> {
  if (temperature !== undefined && !((temperature as number) >= 0 && (temperature as number) <= 1)) yield "temperature: range: 0..1";
  if (topP !== undefined && !((topP as number) >= 0 && (topP as number) <= 1)) yield "top_p: range: 0..1";
  if (temperature !== undefined && topP !== undefined) yield "`temperature` and `top_p` cannot both be specified for this model";
  const isThinking = isObject(thinking) && thinking["type"] !== "disabled";
  if (isThinking && temperature !== undefined && temperature !== 1) yield "`temperature` may only be set to 1 when thinking is enabled";
  if (isThinking && topK !== undefined) yield "`top_k` must be unset when thinking is enabled";
}

function* problemsOfTools({ tools, tool_choice: choice, messages }: Json): Generator<string> {
  const declared = (tools ?? []) as Json[];
  const isUsed = (messages as { content: Json[] | string }[]).some(
    ({ content }) => typeof content !== "string" && content.some(({ type }) => type === "tool_use"),
  );
  if (isUsed && declared.length === 0) yield "Requests which include `tool_use` blocks must define tools";
  if (tools !== undefined && declared.length === 0) yield "tools: List should have at least 1 item";
  for (const { type: kind, name, input_schema: schema } of declared) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name))) yield "tools.name: String should match pattern";
    if (typeof kind === "string" && kind !== "custom") continue;
    if (!isObject(schema) || schema["type"] !== "object") yield "tools.input_schema.type: Input should be 'object'";
  }
  if (choice === undefined) return;
  const { type, name } = choice as Json;
  if (declared.length === 0) yield "tool_choice may only be specified while providing tools";
  if (!["auto", "any", "tool", "none"].includes(String(type))) yield "tool_choice.type: unknown";
  if (type === "tool" && !declared.some((tool) => tool["name"] === name)) yield `Tool '${String(name)}' not found in provided tools`;
  if (type === "none" && "disable_parallel_tool_use" in (choice as Json)) yield "tool_choice.none: Extra inputs are not permitted";
}

function* problemsOfThinking({ thinking, max_tokens: maxTokens, tool_choice: choice, messages }: Json): Generator<string> {
  if (!isObject(thinking) || thinking["type"] === "disabled") return;
  if (isObject(choice) && (choice["type"] === "any" || choice["type"] === "tool")) {
    yield "Thinking may not be enabled when tool_choice forces tool use.";
  }
  if (thinking["type"] !== "enabled") return;
  const budget = thinking["budget_tokens"] as number;
  if (!(budget >= 1024)) yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (!(budget < (maxTokens as number))) yield "`max_tokens` must be greater than `thinking.budget_tokens`";
  const opening = loopOpening(messages as { role: string; content: Json[] | string }[]);
  if (opening && !["thinking", "redacted_thinking"].includes(String(opening[0]?.["type"]))) {
    yield "Expected `thinking` or `redacted_thinking`, but found `tool_use`.";
  }
}

/** The assistant's message at the start of the tool calls whose results are being sent. */
function loopOpening(given: readonly { role: string; content: Json[] | string }[]): Json[] | undefined {
  const turns = given.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
  }));
  const lastQuestion = turns.findLastIndex(({ role, content }) => role === "user" && !content.some(({ type }) => type === "tool_result"));
  const opening = turns.at(-1)!.content.some(({ type }) => type === "tool_result") ? turns[lastQuestion + 1] : undefined;
  return opening?.role === "assistant" ? opening.content : undefined;
}

function* problemsOfOutput(config: unknown): Generator<string> {
  if (config === undefined) return;
  if (!isObject(config)) return yield "output_config: Input should be an object";
  const { format, effort } = config;
  if (effort !== undefined && !["low", "medium", "high", "xhigh", "max"].includes(effort as string)) yield "output_config.effort: unknown";
  if (format === undefined) return;
  if (!isObject(format) || format["type"] !== "json_schema" || !isObject(format["schema"])) yield "output_config.format: not valid";
}

function* problemsOfText(blocks: unknown, place: string): Generator<string> {
  if (typeof blocks === "string") return;
  for (const block of blocks as Json[]) if (block["type"] !== "text" || !hasText(block["text"])) yield `${place}: text must not be empty`;
}

function hasText(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== "";
}

function isCount(count: unknown): boolean {
  return Number.isSafeInteger(count) && (count as number) >= 1;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

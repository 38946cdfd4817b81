/**
 * The rules of Bedrock's Converse API, as strict as the API: the response to a request that violates a rule. They are written from its
 * published types and its error messages, and share no code with the tested dialect.
 */

type Json = Record<string, unknown>;

/** A shape of the published types: the fields of an object, and whether each is required (`true`). */
type Fields = Readonly<Record<string, boolean>>;

const REQUEST: Fields = {
  messages: true,
  system: false,
  inferenceConfig: false,
  toolConfig: false,
  outputConfig: false,
  additionalModelRequestFields: false,
};
const BLOCKS_OF_USERS = new Set(["text", "image", "document", "toolResult", "cachePoint"]);
const BLOCKS_OF_ASSISTANTS = new Set(["text", "toolUse", "reasoningContent", "cachePoint"]);
const BLOCKS_OF_RESULTS = new Set(["text", "json", "image", "document"]);
const IMAGES = new Set(["png", "jpeg", "gif", "webp"]);
const DOCUMENTS = new Set(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]);

interface Message {
  readonly role: string;
  readonly content: Json[];
}

/** The API's error for a request; undefined if the request is valid. */
export function problemOfConverse(body: Json, model: string): string | undefined {
  return [...problemsOf(body, model)][0];
}

function* problemsOf(body: Json, model: string): Generator<string> {
  yield* problemsOfFields(body, REQUEST, "request");
  yield* problemsOfMessages(body["messages"]);
  if (body["system"] !== undefined) yield* problemsOfSystem(body["system"] as Json[]);
  yield* problemsOfTools(body);
  yield* problemsOfInference(body["inferenceConfig"], model);
  yield* problemsOfOutput(body["outputConfig"]);
  yield* problemsOfModelFields(body, model);
  const text = JSON.stringify(body);
  const isOldClaude = /claude-3-(?:haiku|sonnet|opus)|claude-3-5-sonnet-20240620/.test(model);
  if ((isOldClaude || !/claude|nova/.test(model)) && text.includes('"cachePoint"')) yield "your request did not allow prompt caching";
  const hasHourTtl = /claude-[a-z]+-(?:4-[5-9]|[5-9])/.test(model);
  if (!hasHourTtl && text.includes('"ttl"')) yield "extended TTL is not supported by this model";
  if (!model.includes("claude") && text.includes('"reasoningContent"')) yield "this model does not take reasoning content";
}

function* problemsOfFields(value: unknown, fields: Fields, place: string): Generator<string> {
  if (!isObject(value)) return yield `${place} is not an object`;
  for (const name of Object.keys(value)) if (!(name in fields)) yield `extraneous key [${name}] is not permitted in ${place}`;
  for (const [name, isRequired] of Object.entries(fields))
    if (isRequired && !(name in value)) yield `required key [${name}] not found in ${place}`;
}

function* problemsOfMessages(messages: unknown): Generator<string> {
  if (!Array.isArray(messages) || messages.length === 0) return yield "A conversation must start with a user message";
  const names: string[] = [];
  for (const [at, { role, content }] of (messages as Message[]).entries()) {
    const place = `messages.${at}`;
    if (role !== (at % 2 === 0 ? "user" : "assistant")) yield "A conversation must alternate between user and assistant roles";
    if (!Array.isArray(content) || content.length === 0) return yield `The content field in the Message object at ${place} is empty`;
    for (const [n, block] of content.entries()) {
      yield* problemsOfBlock(block, role === "user" ? BLOCKS_OF_USERS : BLOCKS_OF_ASSISTANTS, `${place}.content.${n}`);
    }
    yield* problemsOfOrder(content, place);
    names.push(...documentNamesIn(content));
    if (kindsIn(content).includes("document") && !kindsIn(content).includes("text"))
      yield "A text block must be included when using documents.";
  }
  if (new Set(names).size < names.length) yield "Messages can't contain duplicate document names";
  const last = (messages as Message[]).at(-1)!;
  const text = last.role === "assistant" ? last.content.at(-1)?.["text"] : undefined;
  if (typeof text === "string" && text !== text.trimEnd()) yield "final assistant content cannot end with trailing whitespace";
}

function* problemsOfOrder(content: readonly Json[], place: string): Generator<string> {
  const kinds = kindsIn(content);
  if (kinds[0] === "cachePoint") yield `${place}: a cache point needs something before it`;
  for (const [at, kind] of kinds.entries()) {
    if (kind !== "cachePoint") continue;
    if (kinds[at - 1] === "cachePoint") yield `${place}: two cache points in a row`;
    if (kinds[at - 1] === "document" && (content[at - 1]!["document"] as Json)["format"] !== "pdf") yield `${place}: type: Field required`;
  }
  const rest = kinds.slice(kinds.findIndex((kind) => kind !== "toolResult" && kind !== "cachePoint"));
  if (kinds.some((kind) => kind !== "toolResult" && kind !== "cachePoint") && rest.includes("toolResult")) {
    yield `${place}: tool results must come first`;
  }
}

function* problemsOfBlock(block: unknown, kinds: ReadonlySet<string>, place: string): Generator<string> {
  const [kind, ...others] = isObject(block) ? Object.keys(block) : [];
  if (kind === undefined || others.length > 0) return yield `${place} is a union with exactly one member`;
  if (!kinds.has(kind)) return yield `${place}: ${kind} is not permitted here`;
  const value = (block as Json)[kind];
  if (kind === "text" && !hasText(value)) yield `The text field in the ContentBlock object at ${place} is blank`;
  if (kind === "cachePoint") yield* problemsOfCachePoint(value, place);
  if (kind === "image" || kind === "document") yield* problemsOfMedium(value as Json, kind, place);
  if (kind === "toolUse") {
    yield* problemsOfFields(value, { toolUseId: true, name: true, input: true }, place);
    const { toolUseId, name, input } = value as Json;
    if (!isName(toolUseId) || !isName(name)) yield `${place}.toolUse: failed to satisfy constraint: [a-zA-Z0-9_-]{1,64}`;
    if (!isObject(input)) yield `${place}.toolUse.input is not an object`;
  }
  if (kind === "toolResult") yield* problemsOfResult(value as Json, place);
  if (kind === "reasoningContent") yield* problemsOfReasoning(value as Json, place);
}

function* problemsOfCachePoint(value: unknown, place: string): Generator<string> {
  yield* problemsOfFields(value, { type: true, ttl: false }, `${place}.cachePoint`);
  const { type, ttl = "5m" } = value as Json;
  if (type !== "default" || !["5m", "1h"].includes(ttl as string)) yield `${place}.cachePoint: failed to satisfy enum value set`;
}

function* problemsOfResult(result: Json, place: string): Generator<string> {
  yield* problemsOfFields(result, { toolUseId: true, content: true, status: false }, place);
  const { toolUseId, content } = result;
  if (!isName(toolUseId)) yield `${place}.toolUseId: failed to satisfy constraint: [a-zA-Z0-9_-]{1,64}`;
  if (!Array.isArray(content) || content.length === 0) return yield `${place}.content is empty`;
  for (const [at, block] of content.entries()) yield* problemsOfBlock(block, BLOCKS_OF_RESULTS, `${place}.content.${at}`);
}

function* problemsOfMedium(medium: Json, kind: string, place: string): Generator<string> {
  yield* problemsOfFields(medium, { format: true, source: true, ...(kind === "document" && { name: true }) }, place);
  const { format, source, name } = medium;
  if (!(kind === "image" ? IMAGES : DOCUMENTS).has(String(format))) yield `${place}.format: Member must satisfy enum value set`;
  yield* problemsOfFields(source, { bytes: true }, `${place}.source`);
  const bytes = (source as Json)["bytes"];
  const isBlob = typeof bytes === "string" && bytes !== "" && Buffer.from(bytes, "base64").toString("base64") === bytes;
  if (!isBlob) yield `${place}.source.bytes is not base64`;
  if (kind !== "document") return;
  const isPlain = typeof name === "string" && name.length <= 200 && /^[A-Za-z0-9_()[\]\s-]+$/.test(name) && !/\s\s/.test(name);
  if (!isPlain || name !== name.trim())
    yield "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, …";
}

function* problemsOfReasoning(content: Json, place: string): Generator<string> {
  const [kind, ...others] = Object.keys(content);
  if (others.length > 0) yield `${place} is a union with exactly one member`;
  if (kind === "redactedContent") {
    if (!hasText(content[kind])) yield `${place}.redactedContent is empty`;
    return;
  }
  if (kind !== "reasoningText") return yield `${place}: unknown reasoning`;
  yield* problemsOfFields(content[kind], { text: true, signature: true }, place);
  if (!hasText((content[kind] as Json)["signature"])) yield `${place}.signature: Field required`;
}

function* problemsOfSystem(blocks: readonly Json[]): Generator<string> {
  if (blocks.length === 0) yield "system is empty";
  for (const [at, block] of blocks.entries()) yield* problemsOfBlock(block, new Set(["text", "cachePoint"]), `system.${at}`);
  yield* problemsOfOrder(blocks, "system");
}

function* problemsOfTools({ toolConfig, messages }: Json): Generator<string> {
  const kinds = new Set((messages as Message[]).flatMap(({ content }) => kindsIn(content)));
  if (toolConfig === undefined) {
    if (kinds.has("toolUse") || kinds.has("toolResult")) {
      yield "The toolConfig field must be defined when using toolUse and toolResult content blocks.";
    }
    return;
  }
  yield* problemsOfFields(toolConfig, { tools: true, toolChoice: false }, "toolConfig");
  const { tools, toolChoice } = toolConfig as { tools: Json[]; toolChoice?: Json };
  const specs = tools.flatMap(({ toolSpec }) => (toolSpec === undefined ? [] : [toolSpec as Json]));
  if (specs.length === 0) yield "toolConfig.tools: Member must have length greater than or equal to 1";
  for (const spec of specs) yield* problemsOfSpec(spec);
  for (const tool of tools) if (!("toolSpec" in tool) && !("cachePoint" in tool)) yield "toolConfig.tools: unknown member";
  for (const { cachePoint } of tools) if (cachePoint !== undefined) yield* problemsOfCachePoint(cachePoint, "toolConfig.tools");
  if (toolChoice === undefined) return;
  const [kind, ...others] = Object.keys(toolChoice);
  if (others.length > 0 || !["auto", "any", "tool"].includes(kind!)) yield "toolConfig.toolChoice: unknown member";
  const name = kind === "tool" ? (toolChoice[kind] as Json)["name"] : undefined;
  if (kind === "tool" && !specs.some((spec) => spec["name"] === name)) yield "toolConfig.toolChoice.tool.name is not declared";
}

function* problemsOfSpec(spec: Json): Generator<string> {
  yield* problemsOfFields(spec, { name: true, description: false, inputSchema: true, strict: false }, "toolSpec");
  const { name, description, inputSchema } = spec;
  if (!isName(name)) yield "toolSpec.name: failed to satisfy constraint: [a-zA-Z0-9_-]{1,64}";
  if (description === "") yield "toolSpec.description: Member must have length greater than or equal to 1";
  const schema = isObject(inputSchema) ? inputSchema["json"] : undefined;
  if (!isObject(schema) || schema["type"] !== "object") yield "toolSpec.inputSchema.json.type must be object";
}

function* problemsOfInference(config: unknown, model: string): Generator<string> {
  if (config === undefined) return;
  yield* problemsOfFields(config, { maxTokens: false, temperature: false, topP: false, stopSequences: false }, "inferenceConfig");
  const { maxTokens, temperature, topP, stopSequences = [] } = config as Json;
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && (maxTokens as number) >= 1)) yield "maxTokens: less than 1";
  for (const value of [temperature, topP]) {
    if (value !== undefined && !((value as number) >= 0 && (value as number) <= 1)) yield "temperature, topP: range: 0..1";
  }
  for (const stop of stopSequences as unknown[]) if (!hasText(stop)) yield "stopSequences: each must contain non-whitespace";
  if (model.includes("claude") && temperature !== undefined && topP !== undefined) yield "temperature and top_p cannot both be specified";
}

function* problemsOfOutput(config: unknown): Generator<string> {
  if (config === undefined) return;
  yield* problemsOfFields(config, { textFormat: false, effort: false }, "outputConfig");
  const { textFormat, effort } = config as Json;
  if (effort !== undefined && !["low", "medium", "high", "xhigh", "max"].includes(effort as string)) yield "outputConfig.effort: unknown";
  if (textFormat === undefined) return;
  yield* problemsOfFields(textFormat, { type: true, structure: true }, "textFormat");
  const { type, structure } = textFormat as { type: string; structure: { jsonSchema: Json } };
  if (type !== "json_schema") yield "textFormat.type: unknown";
  yield* problemsOfFields(structure, { jsonSchema: true }, "structure");
  yield* problemsOfFields(structure.jsonSchema, { schema: true, name: false, description: false }, "jsonSchema");
  const { schema, name } = structure.jsonSchema;
  if (typeof schema !== "string" || !isObject(JSON.parse(schema))) yield "jsonSchema.schema is not the text of a schema";
  if (name !== undefined && !isName(name)) yield "jsonSchema.name: failed to satisfy constraint";
}

/** Problems in the models' own fields, which have the models' own formats. */
function* problemsOfModelFields({ additionalModelRequestFields: fields, ...body }: Json, model: string): Generator<string> {
  if (fields === undefined) return;
  if (!isObject(fields) || Object.keys(fields).length === 0) return yield "additionalModelRequestFields is empty";
  yield* problemsOfFields(fields, modelFieldsOf(model), "additionalModelRequestFields");
  if (fields["reasoningConfig"] !== undefined) yield* problemsOfReasoningConfig(fields["reasoningConfig"], body);
  if (model.includes("gpt-oss") && !["low", "medium", "high"].includes(fields["reasoning_effort"] as string))
    yield "reasoning_effort: unknown";
  if (isObject(fields["thinking"]) && fields["thinking"]["type"] !== "disabled")
    yield* problemsOfThinking(fields["thinking"], fields, body);
}

function modelFieldsOf(model: string): Record<string, boolean> {
  if (model.includes("claude")) return { thinking: false, top_k: false };
  if (model.includes("openai.")) return { reasoning_effort: false };
  return model.includes("nova-2-") ? { reasoningConfig: false } : {};
}

/** https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html */
function* problemsOfReasoningConfig(config: unknown, body: Json): Generator<string> {
  yield* problemsOfFields(config, { type: true, maxReasoningEffort: true }, "reasoningConfig");
  const { type, maxReasoningEffort: effort } = config as Json;
  if (type !== "enabled" || !["low", "medium", "high"].includes(effort as string)) yield "the provided reasoning config value is invalid";
  const { maxTokens, temperature, topP } = (body["inferenceConfig"] ?? {}) as Json;
  if (effort === "high" && (maxTokens ?? temperature ?? topP) !== undefined) yield "maxTokens, temperature and topP must be unset";
}

function* problemsOfThinking(thinking: Json, fields: Json, body: Json): Generator<string> {
  const { maxTokens, temperature } = (body["inferenceConfig"] ?? {}) as Json;
  const { toolChoice } = (body["toolConfig"] ?? {}) as { toolChoice?: Json };
  if (toolChoice !== undefined && !("auto" in toolChoice)) yield "Thinking may not be enabled when tool_choice forces tool use.";
  if (fields["top_k"] !== undefined) yield "`top_k` must be unset when thinking is enabled";
  if (temperature !== undefined && temperature !== 1) yield "`temperature` may only be set to 1 when thinking is enabled";
  if (thinking["type"] !== "enabled") return;
  const budget = thinking["budget_tokens"] as number;
  if (!(budget >= 1024)) yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (!(budget < (maxTokens as number))) yield "`max_tokens` must be greater than `thinking.budget_tokens`";
  const messages = body["messages"] as Message[];
  const question = messages.findLastIndex(({ role, content }) => role === "user" && !kindsIn(content).includes("toolResult"));
  const opening = kindsIn(messages.at(-1)!.content).includes("toolResult") ? messages[question + 1] : undefined;
  if (opening?.role === "assistant" && kindsIn(opening.content)[0] !== "reasoningContent") {
    yield "Expected `thinking` or `redacted_thinking`, but found `tool_use`.";
  }
}

function documentNamesIn(content: readonly Json[]): string[] {
  return content.flatMap(({ document, toolResult }) => {
    if (document !== undefined) return [(document as { name: string }).name];
    return toolResult === undefined ? [] : documentNamesIn((toolResult as { content: Json[] }).content);
  });
}

function kindsIn(content: readonly Json[]): string[] {
  return content.map((block) => Object.keys(block)[0]!);
}

function isName(text: unknown): boolean {
  return typeof text === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(text);
}

function hasText(text: unknown): boolean {
  return typeof text === "string" && text.trim() !== "";
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

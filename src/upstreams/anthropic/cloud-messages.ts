import { parseExact } from "../../lib/json/exact-json.ts";
import { tryParse } from "../../lib/json/try-parse.ts";
import { isObject, type Path } from "../../lib/schema/schema.ts";
import { hasStructuredOutputs, thinksByEffort } from "../../models/claude-models.ts";
import type { ParameterPolicy } from "../../models/parameters/parameter-policy.ts";
import type { RelayedError } from "../../requests/api-error.ts";
import { fieldIn } from "../../requests/chat-request.ts";
import { refuseRegion } from "../../requests/messages-api.ts";
import { toolNameOf } from "../../requests/premium-demand.ts";
import { relayedBody } from "../relayed-body.ts";
import { wrongValue } from "../unsupported-parameter.ts";
import type { RelayedCall, RelayedRequest, RelayTerms } from "../upstream.ts";
import type { WireRequest } from "../dialect.ts";
import { MAX_ERROR_CHARS, messagesChanges } from "./messages-relay.ts";

type Json = Readonly<Record<string, unknown>>;

/** A cloud that serves Claude in the Messages format. It rejects requests with betas and fields that it does not know. */
export interface ClaudeCloud {
  /** The accepted betas, each with the models that accept it. */
  readonly betas: Readonly<Record<string, RegExp>>;
  /** The tools that run at the cloud, by name, with the beta that each needs. */
  readonly serverTools: Readonly<Record<string, string>>;
  /** Whether cache breakpoints of a model may have a `ttl`. */
  readonly hasCacheTtl: (upstreamModel: string) => boolean;
}

const ANY = /./;
const CONTEXT_MANAGEMENT = "context-management-2025-06-27";
const COMPACTION = "compact-2026-01-12";
const TOOL_SEARCH = "tool-search-tool-2025-10-19";
const TOOL_EXAMPLES = "tool-examples-2025-10-29";
const TOOL_STREAMING = "fine-grained-tool-streaming-2025-05-14";
const WEB_SEARCH = "web-search-2025-03-05";
const EFFORT = "effort-2025-11-24";

/** Betas of both clouds. Effort is a beta of one model: later models have it without, and reject the beta. */
const SHARED_BETAS: ClaudeCloud["betas"] = {
  [CONTEXT_MANAGEMENT]: ANY,
  [COMPACTION]: ANY,
  [TOOL_SEARCH]: ANY,
  [EFFORT]: /opus-4-5/,
  "interleaved-thinking-2025-05-14": ANY,
  "context-1m-2025-08-07": ANY,
  "computer-use-2025-01-24": ANY,
  "computer-use-2025-11-24": ANY,
};

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html */
export const BEDROCK: ClaudeCloud = {
  betas: {
    ...SHARED_BETAS,
    [TOOL_EXAMPLES]: ANY,
    [TOOL_STREAMING]: ANY,
    "computer-use-2024-10-22": ANY,
    "output-128k-2025-02-19": /3-7-sonnet/,
    "token-efficient-tools-2025-02-19": /3-7-sonnet/,
  },
  serverTools: { tool_search: TOOL_SEARCH },
  hasCacheTtl: hasStructuredOutputs,
};

/** https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai */
export const VERTEX: ClaudeCloud = {
  betas: { ...SHARED_BETAS, [WEB_SEARCH]: ANY },
  serverTools: { tool_search: TOOL_SEARCH, web_search: WEB_SEARCH },
  hasCacheTtl: () => true,
};

/** Tools that run at Anthropic, and at some clouds. */
const SERVER_TOOLS: ReadonlySet<string> = new Set(["web_search", "web_fetch", "code_execution", "tool_search", "advisor"]);

/** The fields of a request that both clouds know, as they are or in another form, besides the model and the messages. */
const FIELDS = [
  "max_tokens",
  "system",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
  "tools",
  "tool_choice",
  "thinking",
  "metadata",
  "output_config",
  "context_management",
  "cache_control",
];

const BY_NAME: ParameterPolicy = Object.fromEntries(FIELDS.map((name) => [name, "pass"]));

/** The fields of a custom tool that both clouds know. Tools that Anthropic defines have fields of their own. */
const TOOL_FIELDS: ReadonlySet<string> = new Set(["type", "name", "description", "input_schema", "cache_control"]);

/** Fields of a custom tool that need a beta, which Anthropic's own API may no longer require. */
const BETAS_OF_TOOL_FIELDS: Readonly<Record<string, string>> = { defer_loading: TOOL_SEARCH, input_examples: TOOL_EXAMPLES };

/** What a cloud takes of a request. Throws for what the model could not do without. */
export function cloudTerms(relayed: RelayedRequest, upstreamModel: string, cloud: ClaudeCloud): RelayTerms {
  const { dropped } = adapted(relayed.outline, relayed.formatHeaders, upstreamModel, cloud);
  return { rules: { byName: BY_NAME, others: "drop" }, droppedParts: [...dropped] };
}

/** The body of a relayed request without its model, which is in the path, and the betas that it needs. */
export function toCloudMessages(
  call: RelayedCall,
  cloud: ClaudeCloud,
  own: (betas: readonly string[]) => Json,
  removed: readonly string[],
): { readonly body: WireRequest["body"]; readonly betas: readonly string[] } {
  const { relayed, upstreamModel, parameterMapping, maxTokens, formatHeaders } = call;
  const changes = messagesChanges(call);
  const fields = Object.entries({ ...relayed.outline, ...changes }).filter(([name]) => !parameterMapping.dropped.includes(name));
  const outline = Object.fromEntries(fields);
  const adapt = (values: Json): AdaptedRequest => adapted({ ...outline, ...values }, formatHeaders, upstreamModel, cloud);
  // The outline shows which fields change. Only those are parsed.
  const changing = Object.keys(adapt({}).edited);
  const values = changing.map((name) => [name, changes[name] ?? fieldIn(relayed, name, parseExact)] as const);
  const { edited, emptied, betas } = adapt(Object.fromEntries(values));
  const written = { ...own([...betas]), ...(maxTokens !== undefined && { max_tokens: maxTokens }) };
  const dropped = [...parameterMapping.dropped, ...emptied, "cache_control", ...removed];
  return { body: relayedBody(relayed, written, { ...changes, ...edited }, dropped), betas: [...betas] };
}

interface AdaptedRequest {
  /** The new values of fields. */
  readonly edited: Readonly<Record<string, unknown>>;
  /** Fields that are dropped because nothing is left of their value. */
  readonly emptied: readonly string[];
  readonly betas: ReadonlySet<string>;
  /** The names of betas, and of parts of fields. */
  readonly dropped: ReadonlySet<string>;
}

function adapted(body: Json, headers: RelayedRequest["formatHeaders"], upstreamModel: string, cloud: ClaudeCloud): AdaptedRequest {
  const betas = (headers["anthropic-beta"] ?? "").split(",").map((beta) => beta.trim());
  return new CloudAdapter(cloud, upstreamModel).adapt(
    body,
    betas.filter((beta) => beta !== ""),
  );
}

/**
 * Adapts one request to a cloud. A field that needs a beta is sent together with it, even if the client has not named the beta, and where
 * the cloud does not accept the beta, neither is sent.
 */
class CloudAdapter {
  readonly #cloud: ClaudeCloud;
  readonly #upstreamModel: string;
  readonly #betas = new Set<string>();
  readonly #dropped = new Set<string>();

  constructor(cloud: ClaudeCloud, upstreamModel: string) {
    this.#cloud = cloud;
    this.#upstreamModel = upstreamModel;
  }

  adapt(body: Json, betas: readonly string[]): AdaptedRequest {
    refuseRegion(body["inference_geo"]);
    for (const beta of betas) if (!this.#require(beta)) this.#dropped.add(beta);
    const { system, tools, output_config: config, context_management: management } = body;
    const adaptedParts: Json = {
      messages: this.#messages(body["messages"] as readonly Json[], body["cache_control"]),
      system: this.#blocks(system, ["system"]),
      tools: Array.isArray(tools) ? mapped(tools as Json[], (tool, at) => this.#tool(tool, at)) : tools,
      output_config: isObject(config) ? this.#outputConfig(config) : config,
      context_management: this.#contextManagement(management),
    };
    const changed = Object.keys(adaptedParts).filter((name) => adaptedParts[name] !== body[name]);
    const kept = changed.filter((name) => adaptedParts[name] !== undefined);
    return {
      edited: Object.fromEntries(kept.map((name) => [name, adaptedParts[name]])),
      emptied: changed.filter((name) => !kept.includes(name)),
      betas: this.#betas,
      dropped: this.#dropped,
    };
  }

  /** Sends a beta, if the cloud accepts it for this model. */
  #require(beta: string): boolean {
    const { betas } = this.#cloud;
    if (!Object.hasOwn(betas, beta) || !betas[beta]!.test(this.#upstreamModel)) return false;
    this.#betas.add(beta);
    return true;
  }

  /** The clouds do not place a breakpoint by themselves: it moves to the last block that can have one. */
  #messages(messages: readonly Json[], breakpoint: unknown): readonly Json[] {
    const plain = mapped(messages, (message, at) => {
      const content = this.#blocks(message["content"], ["messages", at, "content"]);
      return content === message["content"] ? message : { ...message, content };
    });
    if (!isObject(breakpoint)) return plain;
    const marked = withBreakpoint(plain, this.#breakpoint(breakpoint));
    if (!marked) this.#dropped.add("cache_control");
    return marked ?? plain;
  }

  #blocks(content: unknown, path: Path): unknown {
    return Array.isArray(content) ? mapped(content as Json[], (block, at) => this.#block(block, [...path, at])) : content;
  }

  /** Results of tools, and documents, consist of other blocks. The clouds do not fetch URLs. */
  #block(block: Json, path: Path): Json {
    const { type, source } = block;
    if (type === "tool_reference") this.#require(TOOL_SEARCH);
    if (isObject(source) && source["type"] === "url") {
      throw wrongValue([...path, "source"], "must have the data in base64: this model fetches no addresses");
    }
    return withChanges(block, {
      content: this.#blocks(block["content"], [...path, "content"]),
      source: isObject(source) ? withChanges(source, { content: this.#blocks(source["content"], [...path, "source", "content"]) }) : source,
      cache_control: this.#breakpoint(block["cache_control"]),
    });
  }

  /** A breakpoint as the cloud knows it. It rejects null. */
  #breakpoint(breakpoint: unknown): unknown {
    if (!isObject(breakpoint)) return breakpoint ?? undefined;
    const hasTtl = this.#cloud.hasCacheTtl(this.#upstreamModel);
    return this.#only(breakpoint, "cache_control", (name) => name === "type" || (name === "ttl" && hasTtl));
  }

  #tool(given: Json, at: number): Json {
    const tool = withChanges(given, { cache_control: this.#breakpoint(given["cache_control"]) });
    const { type, eager_input_streaming: isEager } = tool;
    if (typeof type === "string" && type !== "custom") {
      this.#requireServerTool(toolNameOf(type), ["tools", at]);
      return tool;
    }
    // Not every model knows the field, and the beta has the same effect.
    const streams = isEager === true && this.#require(TOOL_STREAMING);
    const sent = streams ? withChanges(tool, { eager_input_streaming: undefined }) : tool;
    return this.#only(sent, "tools", (name) => this.#hasToolField(name));
  }

  #requireServerTool(name: string, path: Path): void {
    if (!SERVER_TOOLS.has(name)) return;
    const { serverTools } = this.#cloud;
    if (!Object.hasOwn(serverTools, name)) throw wrongValue(path, `is ${name}, which does not run at the provider of this model`);
    this.#require(serverTools[name]!);
  }

  #hasToolField(name: string): boolean {
    if (TOOL_FIELDS.has(name)) return true;
    if (name === "strict") return hasStructuredOutputs(this.#upstreamModel);
    const beta = Object.hasOwn(BETAS_OF_TOOL_FIELDS, name) ? BETAS_OF_TOOL_FIELDS[name] : undefined;
    return beta !== undefined && this.#require(beta);
  }

  #outputConfig(config: Json): Json | undefined {
    const known = this.#only(config, "output_config", (name) => {
      if (name === "format") return hasStructuredOutputs(this.#upstreamModel);
      return name === "effort" && (thinksByEffort(this.#upstreamModel) || this.#require(EFFORT));
    });
    return known === config || Object.keys(known).length > 0 ? known : undefined;
  }

  /** Without edits nothing names the beta, and the clouds reject the field without it. */
  #contextManagement(management: unknown): Json | undefined {
    if (!isObject(management) || !Array.isArray(management["edits"]) || management["edits"].length === 0) return undefined;
    const edits = management["edits"] as readonly Json[];
    const betas = new Set(edits.map(({ type }) => (String(type).startsWith("compact") ? COMPACTION : CONTEXT_MANAGEMENT)));
    if ([...betas].every((beta) => this.#require(beta))) return management;
    this.#dropped.add("context_management");
    return undefined;
  }

  /** The same object without the fields that the cloud does not know. */
  #only(part: Json, place: string, isKnown: (name: string) => boolean): Json {
    const unknown = Object.keys(part).filter((name) => part[name] != null && !isKnown(name));
    if (unknown.length === 0) return part;
    for (const name of unknown) this.#dropped.add(`${place}.${name}`);
    return Object.fromEntries(Object.entries(part).filter(([name]) => !unknown.includes(name)));
  }
}

/** The same object if nothing changes. Undefined values are omitted. */
function withChanges(part: Json, changes: Json): Json {
  if (Object.keys(changes).every((name) => changes[name] === part[name])) return part;
  return Object.fromEntries(Object.entries({ ...part, ...changes }).filter(([, value]) => value !== undefined));
}

/** The same array if no item changes. */
function mapped(items: readonly Json[], change: (item: Json, at: number) => Json): readonly Json[] {
  const changed = items.map((item, at) => (isObject(item) ? change(item, at) : item));
  return changed.every((item, at) => item === items[at]) ? items : changed;
}

/** The conversation with a breakpoint at its end; undefined if no block can have one. */
function withBreakpoint(messages: readonly Json[], breakpoint: unknown): readonly Json[] | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const { content: given } = messages[at]!;
    const content = typeof given === "string" ? [{ type: "text", text: given }] : ((given ?? []) as readonly Json[]);
    const index = content.findLastIndex(canHaveBreakpoint);
    if (index >= 0) {
      return messages.with(at, { ...messages[at], content: content.with(index, { cache_control: breakpoint, ...content[index] }) });
    }
  }
  return undefined;
}

function canHaveBreakpoint({ type, text }: Json): boolean {
  return type !== "thinking" && type !== "redacted_thinking" && text !== "";
}

/** Statuses that blame the request, with their error types. All others are 400. */
const ERROR_TYPES: Readonly<Record<number, string>> = { 413: "request_too_large", 429: "rate_limit_error" };

/** An error in the cloud's own envelope, `{"message": …}` or Google's, with its message in Anthropic's. */
export function cloudError(status: number, body: string): RelayedError | undefined {
  if (status >= 500 || body.length > MAX_ERROR_CHARS) return undefined;
  const parsed = tryParse(body);
  const whole: unknown = Array.isArray(parsed) && parsed.length === 1 ? parsed[0] : parsed;
  const error = isObject(whole) ? (whole["error"] ?? whole) : undefined;
  const message = isObject(error) ? (error["message"] ?? error["Message"]) : undefined;
  if (typeof message !== "string") return undefined;
  const type = ERROR_TYPES[status];
  const reply = { type: "error", error: { type: type ?? "invalid_request_error", message } };
  return { status: type === undefined ? 400 : status, body: JSON.stringify(reply) };
}

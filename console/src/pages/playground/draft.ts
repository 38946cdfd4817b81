import { messagesOf, turn, type NewTurn, type ToolCall, type Turn } from "./conversation.ts";
import { readMore, readTools } from "./json-field.ts";
import { hasProblem, NO_PARAMETERS, parameterFields, readParameters, type Parameters } from "./settings/parameters.ts";
import { formatField, isInvalidFormat, NO_FORMAT, readFormat, type ResponseFormat } from "./settings/response-format.ts";
import { fillIn, fillInTurn, type Variables } from "./prompt/variables.ts";
import { bytesIn, type AttachedImage } from "./prompt/images.ts";

/** A request in the form, without its model. */
export interface Draft {
  readonly system: string;
  readonly turns: readonly Turn[];
  readonly parameters: Parameters;
  /** The parameters of each model, in the order of the models; null while all models share `parameters`. */
  readonly own: readonly Parameters[] | null;
  readonly format: ResponseFormat;
  readonly variables: Variables;
  /** JSON. */
  readonly tools: string;
  /** JSON of the fields that the form does not have. */
  readonly more: string;
  readonly isStreamed: boolean;
}

export const EMPTY_DRAFT: Draft = {
  system: "",
  turns: [],
  parameters: NO_PARAMETERS,
  own: null,
  format: NO_FORMAT,
  variables: {},
  tools: "",
  more: "",
  isStreamed: true,
};

type Body = Readonly<Record<string, unknown>>;

/** Whether a field is invalid. */
export function isInvalid({ parameters, own, format, tools, more }: Draft): boolean {
  return (
    (own ?? [parameters]).some(hasProblem) ||
    isInvalidFormat(format) ||
    readTools(tools).problem !== undefined ||
    readMore(more).problem !== undefined
  );
}

/** The parameters of the model at this position. */
export function parametersOf({ parameters, own }: Draft, lane: number): Parameters {
  return own?.[lane] ?? parameters;
}

/** The parameters without the parameters of the model at this position. If one model is left, it has the shared parameters. */
export function withoutLane({ parameters, own }: Draft, lane: number): Pick<Draft, "parameters" | "own"> {
  const others = own?.toSpliced(lane, 1) ?? [];
  return others.length > 1 ? { parameters, own: others } : { parameters: others[0] ?? parameters, own: null };
}

/** The request body for the model at this position. Unset parameters are omitted; a stream requests its usage, which the cost estimate needs. */
export function bodyOf(model: string, draft: Draft, lane = 0): Body {
  const { system, turns, variables, format, tools, more, isStreamed } = draft;
  const { value: offered } = readTools(tools);
  return {
    model,
    messages: messagesOf(
      fillIn(system, variables),
      turns.map((each) => fillInTurn(each, variables)),
    ),
    ...parameterFields(parametersOf(draft, lane)),
    ...formatField(format),
    ...(offered && { tools: offered }),
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
    ...readMore(more).value,
  };
}

/** The draft of a request body. Fields that the form does not have are kept unchanged. */
export function draftOf(body: Body): Draft {
  const { model: _, messages, tools, stream, stream_options: options, ...fields } = body;
  const list = Array.isArray(messages) ? (messages as Body[]) : [];
  const [first, ...following] = list;
  const hasSystem = first?.["role"] === "system" && typeof first["content"] === "string";
  const { format, rest: others } = readFormat(fields);
  const { parameters, rest } = readParameters(others);
  const isUsual = JSON.stringify(options) === JSON.stringify({ include_usage: true });
  const more = { ...rest, ...(options !== undefined && !isUsual && { stream_options: options }) };
  return {
    system: hasSystem ? (first["content"] as string) : "",
    turns: (hasSystem ? following : list).map((message) => turn(turnOf(message))),
    parameters,
    own: null,
    format,
    variables: {},
    tools: tools === undefined ? "" : JSON.stringify(tools, null, 2),
    more: Object.keys(more).length === 0 ? "" : JSON.stringify(more, null, 2),
    isStreamed: stream === true,
  };
}

function turnOf(message: Body): NewTurn {
  return userTurn(message) ?? assistantTurn(message) ?? toolTurn(message) ?? { role: "other", message };
}

/** Whether the message has only these fields: any other field would be lost. */
function has(message: Body, role: string, ...names: readonly string[]): boolean {
  return message["role"] === role && Object.keys(message).every((name) => name === "role" || names.includes(name));
}

function userTurn(message: Body): NewTurn | undefined {
  const { content } = message;
  if (!has(message, "user", "content")) return undefined;
  if (typeof content === "string") return { role: "user", text: content, images: [] };
  if (!Array.isArray(content)) return undefined;
  const texts = content.filter((part: Body) => part["type"] === "text" && typeof part["text"] === "string");
  const images = content.flatMap((part: Body) => imageOf(part) ?? []);
  const isPlain = texts.length <= 1 && texts.length + images.length === content.length && (texts.length === 0 || texts[0] === content[0]);
  return isPlain ? { role: "user", text: (texts[0]?.["text"] as string | undefined) ?? "", images } : undefined;
}

function imageOf({ type, image_url: image }: Body): AttachedImage | undefined {
  const url = (image as { url?: unknown } | undefined)?.url;
  if (type !== "image_url" || typeof url !== "string" || Object.keys(image as object).length > 1) return undefined;
  return { name: url.startsWith("data:") ? "image" : url, url, bytes: bytesIn(url) };
}

function assistantTurn(message: Body): NewTurn | undefined {
  const { content, tool_calls: calls } = message;
  if (!has(message, "assistant", "content", "tool_calls") || (typeof content !== "string" && content !== null)) return undefined;
  const toolCalls = calls === undefined ? [] : Array.isArray(calls) ? calls.flatMap((call: Body) => toolCallOf(call) ?? []) : undefined;
  if (toolCalls === undefined || toolCalls.length !== ((calls as unknown[] | undefined)?.length ?? 0)) return undefined;
  return { role: "assistant", text: content ?? "", toolCalls };
}

function toolCallOf({ id, type, function: called }: Body): ToolCall | undefined {
  const { name, arguments: given } = (called ?? {}) as Body;
  if (type !== "function" || typeof id !== "string" || typeof name !== "string" || typeof given !== "string") return undefined;
  return { id, name, arguments: given };
}

function toolTurn(message: Body): NewTurn | undefined {
  const { tool_call_id: callId, content } = message;
  if (!has(message, "tool", "tool_call_id", "content") || typeof callId !== "string" || typeof content !== "string") return undefined;
  return { role: "tool", callId, text: content };
}

/** Parses the chunks of a stream defensively: a model can influence its content. */
import { fieldsOf, textOf } from "../../../platform/json.ts";

/** Token counts from the gateway. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface ToolCallChunk {
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

/** An error from the gateway. */
export interface GatewayError {
  readonly message: string;
  readonly code: string;
  readonly param: string | null;
}

/** The content of one chunk, or of a whole JSON response. */
export interface Chunk {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCallChunk[];
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly error?: GatewayError;
}

/** Parses a chunk with `delta`, or a completion with `message`. Undefined for invalid JSON. */
export function readChunk(json: string): Chunk | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return undefined;
  }
  const body = fieldsOf(parsed);
  const choice = fieldsOf(Array.isArray(body["choices"]) ? body["choices"][0] : undefined);
  const message = fieldsOf(choice["delta"] ?? choice["message"]);
  const usage = readUsage(body["usage"]);
  const error = readError(body);
  return {
    text: textOf(message["content"]) + textOf(message["refusal"]),
    reasoning: textOf(message["reasoning_content"]),
    toolCalls: Array.isArray(message["tool_calls"]) ? message["tool_calls"].map(readToolCallChunk) : [],
    ...(typeof choice["finish_reason"] === "string" && { finishReason: choice["finish_reason"] }),
    ...(usage && { usage }),
    ...(error && { error }),
  };
}

function readToolCallChunk(value: unknown, at: number): ToolCallChunk {
  const call = fieldsOf(value);
  const { name, arguments: given } = fieldsOf(call["function"]);
  return {
    index: typeof call["index"] === "number" ? call["index"] : at,
    ...(typeof call["id"] === "string" && { id: call["id"] }),
    ...(typeof name === "string" && { name }),
    ...(typeof given === "string" && { arguments: given }),
  };
}

function readUsage(value: unknown): Usage | undefined {
  const { prompt_tokens: prompt, completion_tokens: completion } = fieldsOf(value);
  return typeof prompt === "number" && typeof completion === "number" ? { promptTokens: prompt, completionTokens: completion } : undefined;
}

/** Parses the gateway's `{"error": …}`, or a problem document of the platform API in front of it. */
export function readError(body: unknown): GatewayError | undefined {
  const fields = fieldsOf(body);
  const error = fieldsOf(fields["error"]);
  const message = error["message"] ?? fields["detail"];
  if (typeof message !== "string") return undefined;
  const { code, param } = typeof error["message"] === "string" ? error : fields;
  return { message, code: textOf(code) || "unknown", param: typeof param === "string" ? param : null };
}

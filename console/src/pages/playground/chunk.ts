/** Reads what a gateway streams. Nothing of it is trusted to have the shape that it should have: it may be a model's own words. */

type Fields = Readonly<Record<string, unknown>>;

/** Token counts as the gateway gives them. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface ToolPiece {
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

/** What is wrong, in the gateway's words. */
export interface GatewayError {
  readonly message: string;
  readonly code: string;
  readonly param: string | null;
}

/** What one chunk, or a whole JSON answer, brings. */
export interface Piece {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolPiece[];
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly error?: GatewayError;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Of a chunk with `delta`, or of a completion with `message`. Undefined where it is not JSON. */
export function readPiece(json: string): Piece | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return undefined;
  }
  const body = fieldsOf(parsed);
  const choice = fieldsOf(Array.isArray(body["choices"]) ? body["choices"][0] : undefined);
  const said = fieldsOf(choice["delta"] ?? choice["message"]);
  const usage = readUsage(body["usage"]);
  const error = readError(body);
  return {
    text: textIn(said["content"]) + textIn(said["refusal"]),
    reasoning: textIn(said["reasoning_content"]),
    toolCalls: Array.isArray(said["tool_calls"]) ? said["tool_calls"].map(readToolPiece) : [],
    ...(typeof choice["finish_reason"] === "string" && { finishReason: choice["finish_reason"] }),
    ...(usage && { usage }),
    ...(error && { error }),
  };
}

function readToolPiece(value: unknown, at: number): ToolPiece {
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

/** The gateway's `{"error": …}`, or a problem of the platform, which is asked before it. */
export function readError(body: unknown): GatewayError | undefined {
  const fields = fieldsOf(body);
  const error = fieldsOf(fields["error"]);
  const message = error["message"] ?? fields["detail"];
  if (typeof message !== "string") return undefined;
  const { code, param } = typeof error["message"] === "string" ? error : fields;
  return { message, code: textIn(code) || "unknown", param: typeof param === "string" ? param : null };
}

import { GatewayError } from "../vocabulary/gateway-error.ts";
import { nestingDepth, topLevelFields } from "../vocabulary/json-text.ts";
import { isObject } from "../vocabulary/schema.ts";

/** A request body: the text as it was sent, and what it says. */
export interface JsonBody {
  readonly text: string;
  readonly value: Record<string, unknown>;
}

/** JSON.parse takes any depth, but what walks over the result later does not: 5,000 levels overflow a stack. */
const MAX_DEPTH = 64;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON object from a request, within limits, or says what is wrong with it. */
export async function readJson(request: Request, maxBytes: number): Promise<JsonBody> {
  requireJson(request.headers);
  const text = decode(await readBytes(request, maxBytes));
  if (nestingDepth(text, MAX_DEPTH) > MAX_DEPTH) {
    throw new GatewayError("invalid_value", `The request body nests deeper than ${MAX_DEPTH} levels.`);
  }
  const value = parse(text);
  if (!isObject(value)) throw new GatewayError("invalid_json", "The request body must be a JSON object.");
  refuseRepeatedKeys(text);
  return { text, value };
}

function requireJson(headers: Headers): void {
  const mediaType = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (mediaType !== "application/json" && !mediaType.endsWith("+json")) {
    throw new GatewayError("unsupported_media_type", "Send the request body as Content-Type: application/json.");
  }
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new GatewayError("unsupported_media_type", "Send the request body without a content encoding.", {
      headers: { "accept-encoding": "identity" },
    });
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(maxBytes);
  // A body of announced length cannot grow beyond it; one sent in chunks has to be counted as it comes.
  if (announced !== null || request.body === null) return request.bytes();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body) {
    total += chunk.byteLength;
    if (total > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, total);
}

/** The connection stays open: closing it under an upload would cut many a client off before it reads the refusal. */
function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError("request_too_large", `The request body is larger than ${maxBytes} bytes, the most this gateway takes.`);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new GatewayError("invalid_json", "The request body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^JSON Parse error: /, "") : "it cannot be parsed";
    throw new GatewayError("invalid_json", `The request body is not valid JSON: ${reason}.`);
  }
}

/** With `{"model":"a","model":"b"}` we might check one and the upstream obey the other. Nobody sends this by accident. */
function refuseRepeatedKeys(text: string): void {
  const seen = new Set<string>();
  for (const { key } of topLevelFields(text)) {
    if (seen.has(key)) throw new GatewayError("invalid_value", `The field ${JSON.stringify(key)} is given twice.`, { param: key });
    seen.add(key);
  }
}

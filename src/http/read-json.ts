import { CallerGone } from "../vocabulary/caller-gone.ts";
import { BadChunks } from "../vocabulary/chunked-body.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { HeaderFields } from "../vocabulary/header-fields.ts";
import { topLevelFields, type JsonField } from "../vocabulary/json-text.ts";
import { describeSyntaxError } from "../vocabulary/json-syntax.ts";
import { BodyTooLarge, type Incoming } from "./incoming.ts";

/** A request body: the text as it was sent, where its fields stand, and what it says. */
export interface JsonBody {
  /** How many bytes it was. */
  readonly bytes: number;
  readonly text: string;
  readonly fields: readonly JsonField[];
  readonly value: Record<string, unknown>;
}

/** No client comes near either. Beyond them lie a stack that overflows (at some 100,000 levels) and a process that stalls. */
const LIMITS = { maxDepth: 64, maxValues: 200_000 };

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads a JSON object from a request, within limits, or says what is wrong with it. */
export async function readJson(request: Incoming, maxBytes: number): Promise<JsonBody> {
  requireJson(request.headers);
  let bytes: Uint8Array;
  try {
    bytes = await request.bytes(maxBytes);
  } catch (error) {
    throw explain(error, maxBytes);
  }
  const text = decode(bytes);
  // Before parsing, which would spend a gigabyte and seconds on 20 MiB of brackets or commas.
  const fields = topLevelFields(text, LIMITS);
  if (fields === "maxDepth") throw new GatewayError("invalid_value", `The request body nests deeper than ${LIMITS.maxDepth} levels.`);
  if (fields === "maxValues") throw new GatewayError("invalid_value", `The request body has more than ${LIMITS.maxValues} values.`);
  const value = parse(text);
  refuseRepeatedKeys(fields, value);
  return { bytes: bytes.byteLength, text, fields, value };
}

function requireJson(headers: HeaderFields): void {
  if (!isJson(headers.get("content-type") ?? "")) {
    throw new GatewayError("unsupported_media_type", "Send the request body as Content-Type: application/json.");
  }
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity") {
    throw new GatewayError("unsupported_media_type", "Send the request body without a content encoding.", {
      headers: { "accept-encoding": "identity" },
    });
  }
}

function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const mediaType = contentType.split(";", 1)[0]!.trim().toLowerCase();
  return mediaType === "application/json" || mediaType.endsWith("+json");
}

/** What is wrong with a body that could not be read. */
function explain(error: unknown, maxBytes: number): Error {
  if (error instanceof BodyTooLarge) return tooLarge(maxBytes);
  if (error instanceof BadChunks) return new GatewayError("invalid_value", `The request body cannot be read: ${error.message}.`);
  // There is one other reason: whoever was sending has stopped.
  return new CallerGone();
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

const OBJECT = /^\s*\{/;

function parse(text: string): Record<string, unknown> {
  if (!OBJECT.test(text)) throw new GatewayError("invalid_json", "The request body must be a JSON object.");
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new GatewayError("invalid_json", `The request body is not valid JSON: ${describeSyntaxError(text)}.`);
  }
}

/** With `{"model":"a","model":"b"}` we might check one and the upstream obey the other. Nobody sends this by accident. */
function refuseRepeatedKeys(fields: readonly JsonField[], value: Record<string, unknown>): void {
  if (Object.keys(value).length === fields.length) return;
  const seen = new Set<string>();
  for (const { key } of fields) {
    if (seen.has(key)) throw new GatewayError("invalid_value", `The field ${JSON.stringify(key)} is given twice.`, { param: key });
    seen.add(key);
  }
}

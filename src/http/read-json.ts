import { isUtf8 } from "node:buffer";
import { truncate } from "../lib/text/truncate.ts";
import { fromByteText, type ByteText } from "../lib/text/byte-text.ts";
import { CallerGone } from "../lib/async/caller-gone.ts";
import { BadChunks } from "../lib/http1/chunked-body.ts";
import { ApiError } from "../requests/api-error.ts";
import type { HeaderFields } from "../lib/http1/header-fields.ts";
import { JSON_LIMITS, outlineOf, type JsonField, type JsonOutline, countFields, findRepeatedName } from "../lib/json/json-text.ts";
import { parseExact } from "../lib/json/exact-json.ts";
import { describeSyntaxError } from "../lib/json/json-syntax.ts";
import { formatPath } from "../lib/schema/schema.ts";
import {
  BodiesOverBudget,
  BodyTooLarge,
  UploadsOverShare,
  UploadTooSlow,
  type IncomingRequest,
} from "../lib/http1/server/incoming-request.ts";

/**
 * Numbers whose spelling JavaScript would change: more digits than a double holds, an exponent, a zero at the end, and tiny numbers. Most
 * texts with a match are only identifiers in strings.
 */
const MAY_BE_RESPELLED = /\d[\d.]{15}|\d[eE][-+]?\d|\.\d*0(?!\d)|0\.0{6}/;

/** A JSON request body: its bytes, the positions of its fields, and its values. */
export class JsonBody {
  /** The length of the body in bytes. */
  readonly bytes: number;
  /** The body unchanged, one character per byte. */
  readonly byteText: ByteText;
  /** The positions of the fields in `byteText`. */
  readonly fields: readonly JsonField[];
  /** The parsed values, without the long strings inside lists and objects. */
  readonly outline: Readonly<Record<string, unknown>>;
  /** The JSON of the outline. */
  readonly outlineText: ByteText;
  #exactOutline: Readonly<Record<string, unknown>> | undefined;
  #value: Record<string, unknown> | undefined;

  constructor(bytes: number, byteText: ByteText, { fields, text }: JsonOutline, outline: Record<string, unknown>) {
    this.bytes = bytes;
    this.byteText = byteText;
    this.fields = fields;
    this.outline = outline;
    this.outlineText = text;
    if (text === byteText) this.#value = outline;
  }

  /** The outline for a body that is written again: every number keeps its spelling. The same object if none would lose it. */
  get exactOutline(): Readonly<Record<string, unknown>> {
    return (this.#exactOutline ??= MAY_BE_RESPELLED.test(this.outlineText)
      ? (parseExact(fromByteText(this.outlineText)) as Record<string, unknown>)
      : this.outline);
  }

  get text(): string {
    return fromByteText(this.byteText);
  }

  /** The parsed body, on demand: parsing a large prompt costs as much as the rest of a request. */
  get value(): Record<string, unknown> {
    return (this.#value ??= JSON.parse(this.text) as Record<string, unknown>);
  }
}

/** The UTF-8 byte order mark, which is not part of a text. */
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

/** For a request without a content type: JSON is assumed, or the request is rejected. */
type MissingContentType = "assumed" | "rejected";

/** Reads a JSON object from a request, within limits. Throws an `ApiError` that says what is wrong with it. */
export function readJson(request: IncomingRequest, maxBytes: number, untyped: MissingContentType): Promise<JsonBody> | JsonBody {
  requireJson(request.headers, untyped);
  // Most bodies have been received already, so no promise is needed.
  const bytes = receiveBody(request, maxBytes);
  return bytes instanceof Promise ? bytes.then(parseJson) : parseJson(bytes);
}

/** Receives the bytes of a body, within a limit. Throws an `ApiError` if they cannot be received. */
export function receiveBody(request: IncomingRequest, maxBytes: number): Promise<Buffer> | Buffer {
  try {
    const bytes = request.bytes(maxBytes);
    return bytes instanceof Promise ? whenReceived(bytes, maxBytes) : bytes;
  } catch (error) {
    throw explain(error, maxBytes);
  }
}

async function whenReceived(coming: Promise<Buffer>, maxBytes: number): Promise<Buffer> {
  try {
    return await coming;
  } catch (error) {
    throw explain(error, maxBytes);
  }
}

/** Parses a body that was received. Throws an `ApiError` that says what is wrong with it. */
export function parseJson(bytes: Buffer): JsonBody {
  const byteText = decode(bytes);
  // The limits are checked before parsing, which would take a gigabyte and seconds for 20 MiB of brackets or commas.
  const outline = outlineOf(byteText, JSON_LIMITS);
  if (outline === "maxDepth") throw new ApiError("invalid_value", `The request body nests deeper than ${JSON_LIMITS.maxDepth} levels.`);
  if (outline === "maxValues") throw new ApiError("invalid_value", `The request body has more than ${JSON_LIMITS.maxValues} values.`);
  const value = parse(fromByteText(outline.text), byteText);
  refuseRepeatedNames(outline.fieldCount, value, byteText);
  return new JsonBody(bytes.byteLength, byteText, outline, value);
}

/** Rejects a body that is not JSON or has a content encoding. */
export function requireJson(headers: HeaderFields, untyped: MissingContentType): void {
  const contentType = headers.get("content-type");
  if (contentType === null ? untyped === "rejected" : !isJson(contentType)) {
    throw new ApiError("unsupported_media_type", "Send the request body as Content-Type: application/json.");
  }
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity") {
    throw new ApiError("unsupported_media_type", "Send the request body without a content encoding.", {
      headers: { "accept-encoding": "identity" },
    });
  }
}

function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const mediaType = contentType.split(";", 1)[0]!.trim().toLowerCase();
  return mediaType === "application/json" || mediaType.endsWith("+json");
}

/** The error for a body that could not be received. */
function explain(error: unknown, maxBytes: number): Error {
  if (error instanceof BodyTooLarge) return tooLarge(maxBytes);
  if (error instanceof BadChunks) return new ApiError("invalid_value", `The request body cannot be read: ${error.message}.`);
  if (error instanceof BodiesOverBudget) return overloaded("The request bodies in progress take all the memory set aside for them.");
  if (error instanceof UploadsOverShare) return overloaded("The unfinished uploads of your account take its share of the memory for them.");
  // Not 408, which some clients retry: the same upload would take as long again.
  if (error instanceof UploadTooSlow) {
    const message = `The request body was not received within ${error.seconds} seconds, the longest that an upload may take.`;
    return new ApiError("invalid_value", message);
  }
  // The only other reason is that the client disconnected.
  return new CallerGone();
}

function overloaded(why: string): ApiError {
  return new ApiError("overloaded", `${why} Please try again in 1s.`, { retryAfterSeconds: 1 });
}

/**
 * The error for a body that is too large. The connection stays open: if it were closed during the upload, many clients would not read the
 * reply.
 */
function tooLarge(maxBytes: number): ApiError {
  return new ApiError("request_too_large", `The request body is larger than ${maxBytes} bytes, the most this gateway takes.`);
}

function decode(bytes: Buffer): ByteText {
  if (!isUtf8(bytes)) throw new ApiError("invalid_json", "The request body is not valid UTF-8.");
  const text = bytes.toString("latin1");
  return (text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text) as ByteText;
}

const OBJECT = /^\s*\{/;

function parse(outline: string, byteText: ByteText): Record<string, unknown> {
  if (!OBJECT.test(outline)) throw new ApiError("invalid_json", "The request body must be a JSON object.");
  try {
    return JSON.parse(outline) as Record<string, unknown>;
  } catch {
    throw new ApiError("invalid_json", `The request body is not valid JSON: ${describeSyntaxError(fromByteText(byteText))}.`);
  }
}

/** The longest parameter name that an error quotes: names may be of any length. */
const MAX_PARAM_LENGTH = 200;

function refuseRepeatedNames(fieldCount: number, value: object, byteText: ByteText): void {
  if (countFields(value) === fieldCount) return;
  const path = findRepeatedName(fromByteText(byteText))!;
  const param = truncate(formatPath(path), MAX_PARAM_LENGTH);
  throw new ApiError("invalid_value", `The field ${JSON.stringify(param)} is given twice.`, { param });
}

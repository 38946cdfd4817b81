import type { HeaderFields } from "../../lib/http1/header-fields.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { topLevelFields } from "../../lib/json/json-text.ts";
import { restoreOmitted } from "../../lib/json/omitted-text.ts";
import { formatPath, isObject, type Path } from "../../lib/schema/schema.ts";
import { fromByteText, toByteText, type ByteText } from "../../lib/text/byte-text.ts";
import type { JsonBody } from "../../http/read-json.ts";
import type { Dialect } from "../../models/upstream-settings.ts";
import type { Usage } from "../../money/usage.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { ChatRequest, NewNames, NewValues, RequestBody } from "../../requests/chat-request.ts";
import type { ChunkStream, Completion, RelayedRequest } from "../../upstreams/upstream.ts";
import { onlyTextIn, TextChunk } from "../../requests/text-chunk.ts";
import { ForwardedChunks } from "../forwarded-chunks.ts";

type Json = Readonly<Record<string, unknown>>;

/** The fields of chat completions that have another name or place in the client's format. */
export type FieldNames = Readonly<Record<string, string>>;

/** Records the places of messages, parts and tools in the client's request. */
export interface OriginMarks {
  /** Notes the place of what was translated to this object, and returns the object. */
  mark<T extends object>(translated: T, path: Path): T;
}

/** For translations without an error. */
export const NO_MARKS: OriginMarks = { mark: (translated) => translated };

/** Finds the place of an error in the client's request. */
class Origins implements OriginMarks {
  readonly #paths = new WeakMap<object, Path>();

  mark<T extends object>(translated: T, path: Path): T {
    this.#paths.set(translated, path);
    return translated;
  }

  /** The place in the client's request of a field of its translation. */
  placeOf(param: string, chat: Json, names: FieldNames): string {
    const steps = param.match(/[^.[\]]+/g) ?? [];
    let value: unknown = chat;
    let path: Path | undefined;
    for (const step of steps) {
      value = isObject(value) || Array.isArray(value) ? (value as Json)[step] : undefined;
      path = (isObject(value) && this.#paths.get(value)) || path;
    }
    return path ? formatPath(path) : fieldNameIn(names, steps[0] ?? param);
  }
}

/** The client's name of a top-level field of chat completions. */
export function fieldNameIn(names: FieldNames, field: string): string {
  return Object.hasOwn(names, field) ? names[field]! : field;
}

/** Translates request bodies of another format to chat completions. */
export interface BodyTranslation {
  /** The body of the chat completion, from a whole body or from its outline. Throws for what chat completions cannot express. */
  ofBody(body: Json): Json;
  /** Whether the last body was an outline without an ID or a name that the translation has to compare. */
  readonly lacksNames: boolean;
}

/**
 * A request of another format in the chat-completions format, for upstreams with other formats. Only the outline is translated, and the
 * long strings are then restored as the client wrote them. The whole body is parsed for dialects that translate it once more, and for servers
 * that need other messages.
 */
export class TranslatedRequest implements ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  /** The dialect asks for token counts. */
  readonly includeUsage = false;
  readonly outline: Json;
  readonly #source: JsonBody;
  readonly #translation: BodyTranslation;
  readonly #lacksNames: boolean;
  #exact: Json | undefined;
  #body: Json | undefined;
  #byteText: ByteText | undefined;
  #fields: ChatRequest["fields"] | undefined;

  constructor(source: JsonBody, translation: BodyTranslation) {
    this.model = source.outline["model"] as string;
    this.stream = source.outline["stream"] === true;
    this.#source = source;
    this.#translation = translation;
    this.outline = translation.ofBody(source.outline);
    this.#lacksNames = translation.lacksNames;
  }

  get body(): Json {
    return (this.#body ??= this.#translation.ofBody(parseExact(this.#source.text) as Json));
  }

  get text(): string {
    return fromByteText(this.byteText);
  }

  /** Of the client's body. The translation adds nothing that is searched for. */
  get outlineText(): ByteText {
    return this.#source.outlineText;
  }

  get byteText(): ByteText {
    return (this.#byteText ??= this.rewrite({}).join("") as ByteText);
  }

  get fields(): ChatRequest["fields"] {
    return (this.#fields ??= topLevelFields(this.byteText));
  }

  rewrite(values: NewValues, names?: NewNames): ByteText[] {
    const source = this.#source;
    if (this.#lacksNames) return rewriteObject(this.body, undefined, values, names);
    return rewriteObject(this.#exactOutline, source.byteText, values, names);
  }

  get messages(): ChatRequest["messages"] {
    return this.body["messages"] as ChatRequest["messages"];
  }

  get #exactOutline(): Json {
    const { outline, exactOutline } = this.#source;
    return (this.#exact ??= exactOutline === outline ? this.outline : this.#translation.ofBody(exactOutline));
  }
}

/** An object as JSON. `source`: the body of the outline from which it was made; undefined if it was made from a whole body. */
function rewriteObject(object: Json, source: ByteText | undefined, values: NewValues, names?: NewNames): ByteText[] {
  const pieces: ByteText[] = [];
  let separator = "{";
  for (const name in values) {
    pieces.push(toByteText(`${separator}${JSON.stringify(name)}:`), values[name]!);
    separator = ",";
  }
  for (const key in object) {
    const name = names && Object.hasOwn(names, key) ? names[key] : key;
    if (name === undefined || Object.hasOwn(values, name) || object[key] === undefined) continue;
    const json = toByteText(`${separator}${JSON.stringify(name)}:${JSON.stringify(object[key])}`);
    if (source === undefined) pieces.push(json);
    else restoreOmitted(json, source, pieces);
    separator = ",";
  }
  pieces.push("}" as ByteText);
  return pieces;
}

const NO_FIELDS = {};

/** A request that upstreams of the same format receive as it is. */
export abstract class PassedRequest implements RelayedRequest {
  abstract readonly relayedAs: RelayedRequest["relayedAs"];
  abstract readonly formatHeaders: RelayedRequest["formatHeaders"];
  readonly model: string;
  readonly stream: boolean;
  protected readonly received: JsonBody;

  constructor(body: JsonBody, stream = body.outline["stream"] === true) {
    this.model = body.outline["model"] as string;
    this.stream = stream;
    this.received = body;
  }

  get relayed(): RelayedRequest {
    return this;
  }

  get byteText(): ByteText {
    return this.received.byteText;
  }

  get fields(): RequestBody["fields"] {
    return this.received.fields;
  }

  get outline(): Json {
    return this.received.outline;
  }

  get outlineText(): ByteText {
    return this.received.outlineText;
  }

  get text(): string {
    return this.received.text;
  }

  get body(): Json {
    return this.received.value;
  }
}

/** A request in a format other than chat completions: upstreams of the same format receive it as it is, all others a translation. */
export abstract class ForeignRequest extends PassedRequest {
  abstract readonly format: { readonly fieldNames: FieldNames };
  readonly gatewayFields = NO_FIELDS;
  /** The end of a stream always has the token counts. */
  readonly includeUsage = true;
  /** For dialects that know prompt-cache breakpoints, and for the others. */
  #withBreakpoints: TranslatedRequest | undefined;
  #withoutBreakpoints: TranslatedRequest | undefined;

  /** `keepsBreakpoints`: the dialect knows prompt-cache breakpoints. */
  protected abstract translate(keepsBreakpoints: boolean, origins: OriginMarks): BodyTranslation;

  chatFor(dialect: Dialect): ChatRequest {
    if (dialect === "anthropic" || dialect === "bedrock") {
      return (this.#withBreakpoints ??= new TranslatedRequest(this.received, this.translate(true, NO_MARKS)));
    }
    return (this.#withoutBreakpoints ??= new TranslatedRequest(this.received, this.translate(false, NO_MARKS)));
  }

  /** The message of an error begins with the field that is at fault. */
  toOwnTerms(error: ApiError): ApiError {
    const { param } = error;
    if (param === null) return error;
    const origins = new Origins();
    const chat = this.translate(true, origins).ofBody(this.outline);
    const place = origins.placeOf(param, chat, this.format.fieldNames);
    const rename = (text: string): string => (text.startsWith(param) ? place + text.slice(param.length) : text);
    return error.rewritten(rename, (detail) => detail);
  }
}

/** The headers of a format that upstreams receive. */
export function readFormatHeaders(names: readonly string[], headers: HeaderFields): Record<string, string> {
  const read: Record<string, string> = {};
  for (const name of names) {
    const value = headers.get(name);
    if (value === null) continue;
    // Other characters could not be sent to an upstream, which would count as its failure.
    if (!/^[\x20-\x7e]{0,4096}$/.test(value)) {
      throw new ApiError("invalid_value", `The header ${name} must have at most 4096 characters of ASCII.`, { param: name });
    }
    read[name] = value;
  }
  return read;
}

/** The text of a single part without a prompt-cache breakpoint. */
export function plainText(parts: readonly Json[]): unknown {
  const [first, ...others] = parts;
  return first && others.length === 0 && first["type"] === "text" && !("cache_control" in first) ? first["text"] : undefined;
}

/** The error for a part of a request that chat completions cannot express. */
export function untranslatable(path: Path, type: unknown): ApiError {
  const param = formatPath(path);
  const message = `${param} is of type ${shownType(type)}, which no upstream of this model takes.`;
  return new ApiError("unsupported_parameter", message, { param });
}

/** A type for an error message. A longer text is not the type of anything, and may be the placeholder of a long string. */
export function shownType(type: unknown): string {
  const shown = String(type);
  return shown.length > 60 ? "a long text" : shown;
}

export function missingField(path: Path): ApiError {
  const param = formatPath(path);
  return new ApiError("missing_required_parameter", `${param} is required.`, { param });
}

/**
 * The unique part of the IDs in one response. An upstream's own ID is not used: some servers repeat theirs, and Claude Code joins messages
 * with equal IDs into one turn.
 */
export function uniqueId(): string {
  return Bun.randomUUIDv7().replaceAll("-", "");
}

/** Translates the responses to one request from the chat-completions format. */
export interface ResponseTranslation {
  completion(completion: Completion): Completion;
  stream(chunks: ChunkStream): ChunkStream;
}

/** Writes the events of one response, however its chunks are cut. */
export abstract class EventWriter {
  /** The last chunk, if it had only text. */
  #textChunk: TextChunk | undefined;

  write(chunks: readonly string[]): string[] {
    const events: string[] = [];
    for (const chunk of chunks) {
      const text = this.#textChunk?.match(chunk);
      if (text !== undefined && text !== "") events.push(this.writeMoreText(text));
      else this.#parse(chunk, events);
    }
    return events;
  }

  #parse(chunk: string, events: string[]): void {
    const parsed = JSON.parse(chunk) as Json;
    this.writeChunk(parsed, events);
    const text = onlyTextIn(parsed);
    this.#textChunk = text === undefined || text === "" ? undefined : TextChunk.of(chunk, text);
  }

  protected abstract writeChunk(chunk: Json, events: string[]): void;

  /** The event for a chunk that has only this text, after another such chunk. The text needs no escapes. */
  protected abstract writeMoreText(text: string): string;

  /** The events that end the response. Asked for more than once if the response is stored, too. */
  abstract end(usage: Usage): readonly string[];
}

/** A stream of chunks as the events of another format. */
export class TranslatedStream extends ForwardedChunks {
  readonly #writer: EventWriter;

  constructor(chunks: ChunkStream, writer: EventWriter) {
    super(chunks);
    this.#writer = writer;
  }

  override take(chunks: readonly string[]): void {
    let events: readonly string[];
    try {
      events = this.#writer.write(chunks);
    } catch (error) {
      this.cancel();
      return this.fail(error);
    }
    if (events.length > 0) super.take(events);
    else this.chunks.read(this);
  }

  override endEvents(usage: Usage): readonly string[] {
    return this.#writer.end(usage);
  }

  override stop(): readonly string[] {
    return this.#writer.write(super.stop());
  }
}

/** Chunks with arguments of a tool call whose end was already sent. */
export function argumentsAfterEnd(): ApiError {
  const detail = "arguments of a tool call that was complete";
  return new ApiError("upstream_error", "The upstream's answer could not be understood.", { detail, fault: { kind: "broken" } });
}

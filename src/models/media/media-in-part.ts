import type { ByteText } from "../../lib/text/byte-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { encodedText } from "./encoded-text.ts";
import { encodedMedium, unreadMedium, type Medium } from "./medium.ts";
import { isGiven, isTextPart, MEDIUM_FIELDS, type MediumField } from "./text-part.ts";

/** The media of a content part. */
interface PartMedia {
  readonly media: readonly Medium[];
  /** The number of body bytes that are base64 of media. */
  readonly bytes: number;
}

type Part = Readonly<Record<string, unknown>>;

/** Longer than any media type with its parameters. */
const MAX_HEAD_CHARS = 300;

/** RFC 2397, with bytes in base64. */
const DATA_URL = /^\s*data:([^;,]*)(?:;[^;,]*)*?;base64,/i;

/**
 * The media of a message part that is not text. A string counts as a medium instead of text only in a field in which servers expect base64.
 * In other fields a model may read it as text, whatever it looks like. A part without such a field refers to external media. `counted`: the
 * positions of strings that are counted already. A string counts as a medium once, so that media are never longer than the body.
 */
export function mediaInPart(part: Part, body: ByteText, counted: Set<number> = new Set()): PartMedia {
  const found = new FoundMedia(body, detailOf(part), counted);
  for (const name in MEDIUM_FIELDS) if (isGiven(part, name)) found.add(part, name, MEDIUM_FIELDS[name]!);
  if (found.media.length === 0 && !isTextPart(part)) found.addUnread("image_url" in part ? "image" : "medium");
  return found;
}

/** OpenAI's `detail` of an image. */
function detailOf({ image_url: image, detail }: Part): string | undefined {
  const said = isObject(image) ? image["detail"] : detail;
  return typeof said === "string" ? said : undefined;
}

class FoundMedia implements PartMedia {
  readonly media: Medium[] = [];
  bytes = 0;
  readonly #body: ByteText;
  readonly #detail: string | undefined;
  readonly #counted: Set<number>;

  constructor(body: ByteText, detail: string | undefined, counted: Set<number>) {
    this.#body = body;
    this.#detail = detail;
    this.#counted = counted;
  }

  addUnread(kind: Medium["kind"]): void {
    this.media.push(unreadMedium(kind, this.#detail));
  }

  add(part: Part, name: string, { kind, data }: MediumField): void {
    const value = part[name];
    if (data === undefined) return this.addUnread(kind);
    if (!isObject(value)) return this.#addData(kind, value, "");
    if (name === "source") return this.#addSource(part, value);
    // It is unknown which of the two fields a server reads.
    if (name === "file" && isGiven(value, "file_id") && isGiven(value, data)) this.addUnread(kind);
    this.#addData(kind, value[data], "");
  }

  /** https://platform.claude.com/docs/en/api/messages: `type` says whether `data` is base64 or text. */
  #addSource(part: Part, { type, media_type: mediaType, data }: Part): void {
    if (type === "text") return;
    const kind = part["type"] === "image" ? "image" : "file";
    this.#addData(kind, type === "base64" ? data : undefined, typeof mediaType === "string" ? mediaType.toLowerCase() : "");
  }

  /** A value that is not base64 is a URL or an ID. It counts as text, and the medium that it refers to is counted too. */
  #addData(kind: Medium["kind"], data: unknown, declaredType: string): void {
    if (typeof data !== "string" || data === "") return this.addUnread(kind);
    const text = encodedText(data, this.#body);
    const head = DATA_URL.exec(text.slice(0, MAX_HEAD_CHARS));
    const from = head?.[0].length ?? 0;
    if (!text.isBase64(from) || (text.start !== undefined && this.#counted.has(text.start))) return this.addUnread(kind);
    if (text.start !== undefined) this.#counted.add(text.start);
    this.bytes += text.bytes;
    this.media.push(encodedMedium(kind, text, from, head?.[1]!.trim().toLowerCase() ?? declaredType, this.#detail));
  }
}

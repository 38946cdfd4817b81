import type { ByteText } from "../byte-text.ts";
import { isObject } from "../schema.ts";
import { encodedText } from "./encoded-text.ts";
import { encodedMedium, type Medium } from "./medium.ts";

/** The media of a content part. */
export interface PartMedia {
  readonly media: readonly Medium[];
  /** How many bytes of the body are their base64. */
  readonly bytes: number;
}

/** Longer than any media type with its parameters. */
const MAX_HEAD_CHARS = 300;

/** RFC 2397, with bytes in base64. */
const DATA_URL = /^\s*data:([^;,]*)(?:;[^;,]*)*?;base64,/i;

/** To test whether a shorter string is base64 is not worth it: it counts for no more than a few tokens. */
const SHORTEST_BASE64 = 256;

/** Which media types the fields have whose value is base64 without a data URL. */
const BARE_FIELDS: ReadonlyMap<string, string> = new Map([
  ["input_audio.data", "audio/"],
  ["file.file_data", "application/"],
]);

/**
 * What is in a part of a message that is not text. Every string of it is looked at, whatever its kind, so that base64 in a kind of part that
 * is new is found too. A part in which no medium is found refers to one that is elsewhere.
 */
export function mediaInPart(part: Readonly<Record<string, unknown>>, body: ByteText): PartMedia {
  const found = new FoundMedia(body, detailOf(part));
  found.lookInto(part, "");
  if (found.media.length > 0) return found;
  const isImage = part["image_url"] !== undefined;
  return { media: [isImage ? { kind: "image", size: undefined, detail: detailOf(part) } : { kind: "medium" }], bytes: 0 };
}

/** OpenAI's word for how closely a picture is looked at. */
function detailOf({ image_url: image, detail }: Readonly<Record<string, unknown>>): string | undefined {
  const said = isObject(image) ? image["detail"] : detail;
  return typeof said === "string" ? said : undefined;
}

class FoundMedia implements PartMedia {
  readonly media: Medium[] = [];
  bytes = 0;
  readonly #body: ByteText;
  readonly #detail: string | undefined;

  constructor(body: ByteText, detail: string | undefined) {
    this.#body = body;
    this.#detail = detail;
  }

  lookInto(value: unknown, path: string): void {
    if (typeof value === "string") return this.#lookAt(value, path);
    if (Array.isArray(value)) for (const item of value) this.lookInto(item, path);
    else if (isObject(value)) for (const name in value) this.lookInto(value[name], path === "" ? name : `${path}.${name}`);
  }

  #lookAt(value: string, path: string): void {
    // A server may read the text of any part, whatever its type: it stays text, also where it is spelled like base64.
    if (path === "text") return;
    const text = encodedText(value, this.#body);
    const head = DATA_URL.exec(text.slice(0, MAX_HEAD_CHARS));
    const bare = BARE_FIELDS.get(path);
    const isBare = bare !== undefined || (text.length >= SHORTEST_BASE64 && text.isBase64());
    if (!head && !isBare) return;
    this.bytes += text.bytes;
    this.media.push(encodedMedium(text, head?.[0].length ?? 0, head?.[1]!.trim().toLowerCase() ?? bare ?? "", this.#detail));
  }
}

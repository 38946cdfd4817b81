import { isObject, type Path } from "../../lib/schema/schema.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import { isDataUrl, readDataUrl } from "../data-url.ts";

/** A part of a turn: exactly one of the kinds below, and optionally its thought signature. */
export interface Part {
  text?: string;
  inlineData?: { mimeType: string; data: string };
  fileData?: { fileUri: string; mimeType?: string };
  functionCall?: { id?: string; name: string; args: object };
  functionResponse?: { id?: string; name: string; response: object };
  thoughtSignature?: string;
}

/** Media types by file extension: only the ones that Gemini accepts. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  heic: "image/heic",
  heif: "image/heif",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  html: "text/html",
  csv: "text/csv",
  json: "application/json",
  wav: "audio/wav",
  mp3: "audio/mp3",
  aac: "audio/aac",
  flac: "audio/flac",
  ogg: "audio/ogg",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};

const AUDIO_TYPES: Readonly<Record<string, string>> = { wav: "audio/wav", mp3: "audio/mp3" };

/** The texts of a message that may contain only text. Throws for other parts. */
export function textsOf(content: unknown, path: Path): string[] {
  return partsOf(content, path).map(({ part, path: at }) => textOf(part) ?? refuse(at));
}

/** The parts of a user message, text and media. Empty text is omitted, because the API rejects empty parts. */
export function toParts(content: unknown, path: Path): Part[] {
  return partsOf(content, path)
    .map(({ part, path: at }) => toPart(part, at))
    .filter(({ text }) => text !== "");
}

function partsOf(content: unknown, path: Path): { part: unknown; path: Path }[] {
  const parts: unknown[] = Array.isArray(content) ? content : content == null ? [] : [{ type: "text", text: content }];
  return parts.map((part, at) => ({ part, path: Array.isArray(content) ? [...path, at] : path }));
}

function toPart(part: unknown, path: Path): Part {
  const text = textOf(part);
  if (text !== undefined) return { text };
  const { type, image_url: image, input_audio: audio, file } = part as Record<string, unknown>;
  if (type === "image_url") return toMedium(isObject(image) ? image["url"] : image, undefined, [...path, "image_url", "url"]);
  if (type === "input_audio" && isObject(audio)) return toAudio(audio, path);
  if (type === "file" && isObject(file)) return toFile(file, [...path, "file"]);
  return refuse(path);
}

/** A `refusal` part in the history is sent as text. */
function textOf(part: unknown): string | undefined {
  const { type, text, refusal } = part as Record<string, unknown>;
  if (type === "text") return typeof text === "string" ? text : "";
  return type === "refusal" ? (typeof refusal === "string" ? refusal : "") : undefined;
}

function toAudio({ data, format }: Record<string, unknown>, path: Path): Part {
  const mimeType = typeof format === "string" && Object.hasOwn(AUDIO_TYPES, format) ? AUDIO_TYPES[format]! : undefined;
  if (mimeType === undefined) throw unsupportedParameter(path, "must be wav or mp3 for this model");
  if (typeof data !== "string" || data === "") throw wrongValue([...path, "input_audio", "data"], "must be a sound in base64");
  return { inlineData: { mimeType, data } };
}

function toFile({ file_data: data, file_id: id, filename }: Record<string, unknown>, path: Path): Part {
  const mimeType = typeof filename === "string" ? mediaTypeOf(filename) : undefined;
  if (id != null && id !== "") throw unsupportedParameter([...path, "file_id"], "is not supported by this model: send file_data");
  if (typeof data === "string" && data !== "" && !isDataUrl(data)) {
    if (mimeType === undefined) {
      throw wrongValue([...path, "filename"], "must tell what kind of file it is, or file_data must be a data: URL");
    }
    return { inlineData: { mimeType, data } };
  }
  return toMedium(data, mimeType, [...path, "file_data"]);
}

/** A data: URL is sent inline. An https URL is fetched by the upstream, never by the gateway (SSRF). */
function toMedium(url: unknown, mimeType: string | undefined, path: Path): Part {
  if (typeof url !== "string") throw wrongValue(path, "must be a URL");
  if (isDataUrl(url)) return { inlineData: toInlineData(url, path) };
  const address = URL.parse(url);
  if (address && isReadWithOurCredential(address))
    throw unsupportedParameter(path, "is in Google's own storage, which this model does not read for callers");
  if (address?.protocol !== "https:") throw wrongValue(path, "must be a data: or an https: URL");
  const known = mimeType ?? mediaTypeOf(address.pathname);
  // The parsed URL, not the caller's text: another parser could read another host from the same text.
  return { fileData: { fileUri: address.href, ...(known !== undefined && { mimeType: known }) } };
}

/**
 * Whether Google would read the URL with our credential, so that a caller could read files of the operator or of other callers: a
 * `gs:` bucket, or an uploaded file, whose URI is an https URL of the API. Public objects at storage.googleapis.com are allowed.
 */
function isReadWithOurCredential({ protocol, hostname }: URL): boolean {
  if (protocol === "gs:") return true;
  const host = hostname.replace(/\.$/, "");
  return /(^|\.)googleapis\.com$/.test(host) && !/(^|\.)storage\.googleapis\.com$/.test(host);
}

function toInlineData(url: string, path: Path): { mimeType: string; data: string } {
  const read = readDataUrl(url);
  if (!read) throw wrongValue(path, "must be a data: URL with a media type, in base64");
  return { mimeType: read.mediaType, data: read.base64 };
}

function mediaTypeOf(name: string): string | undefined {
  const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(MEDIA_TYPES, end) ? MEDIA_TYPES[end] : undefined;
}

function refuse(path: Path): never {
  throw unsupportedParameter(path, "is of a type that this model does not take here");
}

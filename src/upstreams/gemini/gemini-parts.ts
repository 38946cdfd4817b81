import { isObject } from "../../vocabulary/schema.ts";
import { invalid, unsupported } from "./refuse-field.ts";

/** A piece of a turn. Exactly one of its kinds, and the signature that it came with. */
export interface Part {
  text?: string;
  inlineData?: { mimeType: string; data: string };
  fileData?: { fileUri: string; mimeType?: string };
  functionCall?: { id?: string; name: string; args: object };
  functionResponse?: { id?: string; name: string; response: object };
  thoughtSignature?: string;
}

/** Media types by the ends of names: what these models read, and nothing else. */
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

/** The text of a message that has nothing but text: its own, or that of its parts. */
export function textsOf(content: unknown, param: string): string[] {
  return partsOf(content, param).map(({ part, param: at }) => textOf(part) ?? refuse(at));
}

/** What a user says, in text and media. What says nothing is left out: an empty part is refused. */
export function toParts(content: unknown, param: string): Part[] {
  return partsOf(content, param)
    .map(({ part, param: at }) => toPart(part, at))
    .filter(({ text }) => text !== "");
}

function partsOf(content: unknown, param: string): { part: unknown; param: string }[] {
  const parts: unknown[] = Array.isArray(content) ? content : content == null ? [] : [{ type: "text", text: content }];
  return parts.map((part, at) => ({ part, param: Array.isArray(content) ? `${param}[${at}]` : param }));
}

function toPart(part: unknown, param: string): Part {
  const text = textOf(part);
  if (text !== undefined) return { text };
  const { type, image_url: image, input_audio: audio, file } = part as Record<string, unknown>;
  if (type === "image_url") return toMedium(isObject(image) ? image["url"] : image, undefined, `${param}.image_url.url`);
  if (type === "input_audio" && isObject(audio)) return toAudio(audio, param);
  if (type === "file" && isObject(file)) return toFile(file, `${param}.file`);
  return refuse(param);
}

/** A refusal is text as well, of a model that would not say anything else. */
function textOf(part: unknown): string | undefined {
  const { type, text, refusal } = part as Record<string, unknown>;
  if (type === "text") return typeof text === "string" ? text : "";
  return type === "refusal" ? (typeof refusal === "string" ? refusal : "") : undefined;
}

function toAudio({ data, format }: Record<string, unknown>, param: string): Part {
  const mimeType = typeof format === "string" && Object.hasOwn(AUDIO_TYPES, format) ? AUDIO_TYPES[format]! : undefined;
  if (mimeType === undefined) throw unsupported(param, "must be wav or mp3 for this model");
  if (typeof data !== "string" || data === "") throw invalid(`${param}.input_audio.data`, "must be a sound in base64");
  return { inlineData: { mimeType, data } };
}

function toFile({ file_data: data, file_id: id, filename }: Record<string, unknown>, param: string): Part {
  const mimeType = typeof filename === "string" ? mediaTypeOf(filename) : undefined;
  if (id != null && id !== "") throw unsupported(`${param}.file_id`, "is not supported by this model: send file_data");
  if (typeof data === "string" && data !== "" && !data.startsWith("data:")) {
    if (mimeType === undefined) throw invalid(`${param}.filename`, "must tell what kind of file it is, or file_data must be a data: URL");
    return { inlineData: { mimeType, data } };
  }
  return toMedium(data, mimeType, `${param}.file_data`);
}

/** A data: URL goes along as it is. An https address is fetched by the upstream, and never by us. */
function toMedium(url: unknown, mimeType: string | undefined, param: string): Part {
  if (typeof url !== "string") throw invalid(param, "must be a URL");
  if (url.startsWith("data:")) return { inlineData: readDataUrl(url, param) };
  const address = URL.parse(url);
  if (address && isOfTheOperator(address))
    throw unsupported(param, "is in Google's own storage, which this model does not read for callers");
  if (address?.protocol !== "https:") throw invalid(param, "must be a data: or an https: URL");
  const known = mimeType ?? mediaTypeOf(address.pathname);
  // As it was understood here: two readings of one address could name two hosts.
  return { fileData: { fileUri: address.href, ...(known !== undefined && { mimeType: known }) } };
}

/**
 * Whether Google reads it with the rights of our credential, so that a caller could read what the operator, or another caller,
 * keeps there: a bucket, or a file that was uploaded, whose URI is an https address of the API. What lies open in a bucket has one too.
 */
function isOfTheOperator({ protocol, hostname }: URL): boolean {
  if (protocol === "gs:") return true;
  const host = hostname.replace(/\.$/, "");
  return /(^|\.)googleapis\.com$/.test(host) && !/(^|\.)storage\.googleapis\.com$/.test(host);
}

/** RFC 2397, of which the pictures and files in chat requests use one form. */
function readDataUrl(url: string, param: string): { mimeType: string; data: string } {
  const comma = url.indexOf(",");
  const [mimeType = "", ...more] = url.slice("data:".length, Math.max(comma, 0)).split(";");
  const data = url.slice(comma + 1);
  if (mimeType.includes("/") && more.at(-1) === "base64" && data !== "") return { mimeType, data };
  throw invalid(param, "must be a data: URL with a media type, in base64");
}

function mediaTypeOf(name: string): string | undefined {
  const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(MEDIA_TYPES, end) ? MEDIA_TYPES[end] : undefined;
}

function refuse(param: string): never {
  throw unsupported(param, "is of a type that this model does not take here");
}

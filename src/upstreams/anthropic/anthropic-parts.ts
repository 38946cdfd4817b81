import { isObject, type Path } from "../../lib/schema/schema.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { Block } from "./block.ts";
import { cacheBreakpoint } from "./cache-breakpoint.ts";
import { readDataUrl } from "../data-url.ts";

/** Translates the content of a message into blocks. Only user messages and tool results may hold images and files. */
export function toBlocks(content: unknown, path: Path, mayHoldMedia: boolean): Block[] {
  if (!Array.isArray(content)) return textBlocks(content);
  return content.flatMap((part: unknown, at) =>
    isObject(part) ? withCacheControl(partBlocks(part, [...path, at], mayHoldMedia), part["cache_control"]) : [],
  );
}

/** A text block. The API rejects blank text, so that yields no block. */
export function textBlocks(text: unknown): Block[] {
  return typeof text === "string" && text.trim() !== "" ? [{ type: "text", text }] : [];
}

/**
 * Sets the prompt-cache breakpoint on the last block. `cache_control` is not in the chat-completions format; clients written for Claude
 * send it.
 */
export function withCacheControl(blocks: Block[], cacheControl: unknown): Block[] {
  const last = blocks.at(-1);
  const breakpoint = cacheBreakpoint(cacheControl);
  return last && breakpoint ? [...blocks.slice(0, -1), { ...last, cache_control: breakpoint }] : blocks;
}

function partBlocks(part: Record<string, unknown>, path: Path, mayHoldMedia: boolean): Block[] {
  const { type } = part;
  if (type === "text") return textBlocks(part["text"]);
  if (type === "refusal") return textBlocks(part["refusal"]);
  if (type === "image_url" && mayHoldMedia) return [imageBlock(part["image_url"], [...path, "image_url"])];
  if (type === "file" && mayHoldMedia) return documentBlock(part["file"], [...path, "file"]);
  throw unsupportedParameter(path, `is of type ${String(type).slice(0, 40)}, which this model does not take here`);
}

const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** An image: inline bytes, or a URL that the provider fetches. The gateway fetches no URLs, because that would be an SSRF hole. */
function imageBlock(image: unknown, path: Path): Block {
  const url = isObject(image) ? image["url"] : image;
  const place = isObject(image) ? [...path, "url"] : path;
  if (typeof url !== "string") throw wrongValue(place, "must be an address");
  if (isSecureUrl(url)) return { type: "image", source: { type: "url", url } };
  const { mediaType, base64 } = readDataUrl(url) ?? notAUrl(place);
  const type = mediaType === "image/jpg" ? "image/jpeg" : mediaType;
  if (!IMAGE_TYPES.has(type)) throw wrongValue(place, "must be a JPEG, PNG, GIF or WebP for this model");
  return { type: "image", source: { type: "base64", media_type: type, data: base64 } };
}

/**
 * A file: a PDF or plain text. File ids are rejected: uploaded files belong to the operator's workspace, and a caller who knows
 * or guesses an id could read another caller's file.
 */
function documentBlock(file: unknown, path: Path): Block[] {
  const { file_id: fileId, file_data: data, filename } = isObject(file) ? file : {};
  const title = typeof filename === "string" && filename !== "" ? { title: filename } : {};
  if (fileId != null && fileId !== "") throw unsupportedParameter([...path, "file_id"], "is not supported by this model: send file_data");
  const place = [...path, "file_data"];
  if (typeof data !== "string" || data === "") throw wrongValue(path, "needs file_data");
  if (isSecureUrl(data)) return [{ type: "document", source: { type: "url", url: data }, ...title }];
  const { mediaType, base64 } = readDataUrl(data) ?? notAUrl(place);
  if (mediaType === "application/pdf") {
    return [{ type: "document", source: { type: "base64", media_type: mediaType, data: base64 }, ...title }];
  }
  if (!mediaType.startsWith("text/")) throw wrongValue(place, "must be a PDF or text for this model");
  const text = Buffer.from(base64, "base64").toString();
  return text.trim() === "" ? [] : [{ type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...title }];
}

function isSecureUrl(text: string): boolean {
  return /^https:\/\//i.test(text);
}

function notAUrl(path: Path): never {
  throw wrongValue(path, "must be an https address, or a data: URL in base64");
}

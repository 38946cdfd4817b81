import { isObject, type Path } from "../../lib/schema/schema.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import { readDataUrl } from "../data-url.ts";
import type { Block } from "./block.ts";

const IMAGE_TYPES = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** An image: inline bytes, or a URL that the provider fetches. The gateway fetches no URLs, because that would be an SSRF hole. */
export function imageBlock(image: unknown, path: Path): Block {
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
export function documentBlock(file: unknown, path: Path): Block[] {
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

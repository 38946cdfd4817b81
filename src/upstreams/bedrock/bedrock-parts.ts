import { isObject, type Path } from "../../lib/schema/schema.ts";
import { unsupportedParameter } from "../unsupported-parameter.ts";
import { documentBlock, imageBlock, type DocumentNames } from "./bedrock-media.ts";
import { cachePointFor, uncachedPart, type Block, type Part } from "./block.ts";

/** Translates the content of a message. Only user messages and tool results may hold images and files, which need `names`. */
export function toParts(content: unknown, path: Path, names?: DocumentNames): Part[] {
  if (!Array.isArray(content)) return textParts(content);
  return content.flatMap((part: unknown, at) =>
    isObject(part) ? withCacheControl(partsOf(part, [...path, at], names), part["cache_control"]) : [],
  );
}

/** A text block. The API rejects blank text, so that yields no block. */
export function textParts(text: unknown): Part[] {
  return typeof text === "string" && text.trim() !== "" ? [uncachedPart({ text })] : [];
}

/** Caches the prompt up to the last part. */
export function withCacheControl(parts: Part[], cacheControl: unknown): Part[] {
  const last = parts.at(-1);
  const cachePoint = cachePointFor(cacheControl);
  return last && cachePoint ? parts.with(parts.length - 1, { ...last, cachePoint }) : parts;
}

function partsOf(part: Record<string, unknown>, path: Path, names: DocumentNames | undefined): Part[] {
  const { type } = part;
  if (type === "text") return textParts(part["text"]);
  if (type === "refusal") return textParts(part["refusal"]);
  if (names) {
    const medium = mediumIn(part, path, names);
    if (medium) return [uncachedPart(medium)];
  }
  throw unsupportedParameter(path, `is of type ${String(type).slice(0, 40)}, which this model does not take here`);
}

function mediumIn(part: Record<string, unknown>, path: Path, names: DocumentNames): Block | undefined {
  if (part["type"] === "image_url") return imageBlock(part["image_url"], [...path, "image_url"]);
  return part["type"] === "file" ? documentBlock(part["file"], [...path, "file"], names) : undefined;
}

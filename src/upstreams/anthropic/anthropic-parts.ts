import { isObject, type Path } from "../../lib/schema/schema.ts";
import { unsupportedParameter } from "../unsupported-parameter.ts";
import { documentBlock, imageBlock } from "./anthropic-media.ts";
import type { Block } from "./block.ts";
import { cacheBreakpoint } from "./cache-breakpoint.ts";

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

/** Sets the prompt-cache breakpoint on the last block. `cache_control` is not in the chat-completions format; clients written for Claude send it. */
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

import { isObject, type Path } from "../../lib/schema/schema.ts";
import { unsupportedParameter } from "../unsupported-parameter.ts";
import { documentBlock, imageBlock } from "./anthropic-media.ts";
import type { Block } from "./block.ts";
import { cacheMark } from "./cache-breakpoint.ts";

/** The blocks that the content of a message comes to. Pictures and files are the user's, and a tool's. */
export function toBlocks(content: unknown, path: Path, mayHoldMedia: boolean): Block[] {
  if (!Array.isArray(content)) return textBlocks(content);
  return content.flatMap((part: unknown, at) =>
    isObject(part) ? withCacheControl(partBlocks(part, [...path, at], mayHoldMedia), part["cache_control"]) : [],
  );
}

/** Text, as a block. The API refuses one without a word in it. */
export function textBlocks(text: unknown): Block[] {
  return typeof text === "string" && text.trim() !== "" ? [{ type: "text", text }] : [];
}

/** Marks where a cached prefix ends. The chat-completions format has no such word; clients that know whom they talk to send this one. */
export function withCacheControl(blocks: Block[], cacheControl: unknown): Block[] {
  const last = blocks.at(-1);
  const mark = cacheMark(cacheControl);
  return last && mark ? [...blocks.slice(0, -1), { ...last, cache_control: mark }] : blocks;
}

function partBlocks(part: Record<string, unknown>, path: Path, mayHoldMedia: boolean): Block[] {
  const { type } = part;
  if (type === "text") return textBlocks(part["text"]);
  if (type === "refusal") return textBlocks(part["refusal"]);
  if (type === "image_url" && mayHoldMedia) return [imageBlock(part["image_url"], [...path, "image_url"])];
  if (type === "file" && mayHoldMedia) return documentBlock(part["file"], [...path, "file"]);
  throw unsupportedParameter(path, `is of type ${String(type).slice(0, 40)}, which this model does not take here`);
}

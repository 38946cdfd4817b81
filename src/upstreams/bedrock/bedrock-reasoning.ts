import { isObject } from "../../lib/schema/schema.ts";
import type { ExtraContent } from "../streams/chunk-writer.ts";
import { isBase64 } from "./bedrock-media.ts";
import type { Block } from "./block.ts";

/** The `extra_content` of a tool call: the signed reasoning before it, which the API requires back with the tool's result. */
export function reasoningContent(reasoning: readonly object[]): ExtraContent | undefined {
  return reasoning.length > 0 ? { bedrock: { reasoning } } : undefined;
}

/** The reasoning in the `extra_content` of a tool call, as blocks. */
export function reasoningIn(extra: unknown): Block[] {
  const own = isObject(extra) && isObject(extra["bedrock"]) ? extra["bedrock"]["reasoning"] : undefined;
  return Array.isArray(own) ? own.flatMap((each: unknown) => signedReasoning(each) ?? []).map((each) => ({ reasoningContent: each })) : [];
}

/**
 * A `reasoningContent` that can be sent back: signed text, or encrypted. Models other than Claude do not sign their reasoning, and reject
 * it in requests.
 */
export function signedReasoning(content: unknown): object | undefined {
  if (!isObject(content)) return undefined;
  const { reasoningText, redactedContent } = content;
  if (typeof redactedContent === "string") return isBase64(redactedContent) ? { redactedContent } : undefined;
  const { text, signature } = isObject(reasoningText) ? reasoningText : {};
  return typeof text === "string" && typeof signature === "string" && signature.trim() !== ""
    ? { reasoningText: { text, signature } }
    : undefined;
}

export function isReasoning({ reasoningContent: content }: Block): boolean {
  return content !== undefined;
}

import { isObject, type Path } from "../../lib/schema/schema.ts";
import { wrongValue } from "../unsupported-parameter.ts";
import type { UpstreamCall } from "../upstream.ts";
import { toMessagesRequest } from "./anthropic-request.ts";
import type { Turn } from "./anthropic-turns.ts";
import type { Block } from "./block.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * A Messages request for Vertex AI, whose body has the version and no model. It fetches no URLs, and knows cache breakpoints of blocks only:
 * https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
 */
export function toVertexRequest(call: UpstreamCall, version: string): Json {
  for (const [at, { content }] of call.chat.messages.entries()) refuseUrls(content, ["messages", at, "content"]);
  const { model: _, cache_control: breakpoint, messages, ...request } = toMessagesRequest(call);
  return { ...request, messages: breakpoint ? withBreakpoint(messages, breakpoint) : messages, anthropic_version: version };
}

function refuseUrls(content: unknown, path: Path): void {
  if (!Array.isArray(content)) return;
  for (const [at, part] of content.entries()) {
    const { type, image_url: image, file } = isObject(part) ? part : {};
    if (type === "image_url")
      refuseUrl(isObject(image) ? image["url"] : image, [...path, at, "image_url", ...(isObject(image) ? ["url"] : [])]);
    if (type === "file" && isObject(file)) refuseUrl(file["file_data"], [...path, at, "file", "file_data"]);
  }
}

function refuseUrl(data: unknown, path: Path): void {
  if (typeof data === "string" && /^https:/i.test(data))
    throw wrongValue(path, "must be a data: URL in base64: this model fetches no addresses");
}

/** A top-level breakpoint stands for one at the end of the conversation. Blocks of thinking cannot have one. */
function withBreakpoint(turns: readonly Turn[], breakpoint: unknown): Turn[] {
  const { role, content } = turns.at(-1)!;
  const at = content.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  const marked = content.map((block, index): Block => (index === at ? { cache_control: breakpoint, ...block } : block));
  return [...turns.slice(0, -1), { role, content: marked }];
}

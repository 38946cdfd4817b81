import { exceedsContext } from "./context-length.ts";
import type { UpstreamError } from "./upstream-error.ts";

/**
 * The part of the request that an upstream's error blames:
 * - `content`: no upstream would accept it, such as an image that cannot be decoded;
 * - `capability`: this upstream's model does not accept images, audio or tools. Another's may.
 */
export type RejectionCause = "content" | "capability";

/**
 * How much of a message is searched for its reason. Errors quote the request, and a caller must not be able to have any error message
 * passed on by writing one of these reasons into a prompt.
 */
const REASON_CHARS = 400;

/** Inputs that some models do not accept. */
const INPUTS = String.raw`(?:images?|audio|videos?|vision|multi-?modal|tools?|tool use|function calling)`;

/** The sources, and each server's own message, are in rejection-cause.test.ts. */
const LACKS_CAPABILITY: readonly RegExp[] = [
  // llama.cpp; xAI and others alike
  new RegExp(String.raw`^${INPUTS}(?: inputs?| contents?| modality)? (?:is|are) not supported`, "i"),
  // Ollama, LM Studio and others: the model, or its name, comes first
  new RegExp(String.raw`^[^\n]{0,150}\b(?:does not|doesn't) support ${INPUTS}\b`, "i"),
  // OpenRouter
  new RegExp(String.raw`^no endpoints found that support (?:input )?${INPUTS}\b`, "i"),
  // OpenAI
  /^invalid content type\. \w+ is only supported by certain models/i,
  // vLLM
  /^[^\n]{0,150}\bis not a multimodal model\b/i,
  /^at most 0 (?:image|audio|video)\(s\) may be provided/i,
  // llama.cpp without --jinja
  /^(?:tools|tool_choice) param requires --jinja/i,
];

/** llama.cpp returns 500 for every exception of its own code except one type. */
const INVALID_CONTENT: readonly RegExp[] = [
  /^failed to (?:load image or audio file|download image|parse messages)\b/i,
  /^(?:invalid uri|uri must be base64|invalid base64|unsupported content)/i,
  // A chat template that wants another order of roles
  /^(?:-+\nWhile executing [\s\S]+)?(?:Error: )?jinja exception: /i,
  /^conversation roles must alternate/i,
];

/** The part of the request that an error blames, if any. */
export function rejectionCause(error: UpstreamError): RejectionCause | undefined {
  const message = error.message.trimStart().slice(0, REASON_CHARS);
  if (LACKS_CAPABILITY.some((words) => words.test(message))) return "capability";
  if (INVALID_CONTENT.some((words) => words.test(message))) return "content";
  return exceedsContext({ ...error, message }) ? "content" : undefined;
}

import { isObject } from "../../lib/schema/schema.ts";
import type { Medium } from "./medium.ts";

/** A field of a content part in which servers expect a medium. */
export interface MediumField {
  readonly kind: Medium["kind"];
  /**
   * The field of the object that contains the base64 or the URL. A string may also replace the whole object. If undefined, the object is
   * not inspected.
   */
  readonly data?: string;
}

/** The fields in which OpenAI, Anthropic, Mistral, vLLM, SGLang and Qwen expect media. */
export const MEDIUM_FIELDS: Readonly<Record<string, MediumField>> = {
  image_url: { kind: "image", data: "url" },
  input_audio: { kind: "audio", data: "data" },
  audio_url: { kind: "audio", data: "url" },
  video_url: { kind: "medium", data: "url" },
  file: { kind: "file", data: "file_data" },
  source: { kind: "file", data: "data" },
  file_id: { kind: "file" },
  file_url: { kind: "file" },
  file_data: { kind: "file" },
  document_url: { kind: "file" },
  image: { kind: "medium" },
  audio: { kind: "medium" },
  video: { kind: "medium" },
  input_image: { kind: "medium" },
  image_pil: { kind: "medium" },
  image_embeds: { kind: "medium" },
  audio_embeds: { kind: "medium" },
  video_embeds: { kind: "medium" },
};

/** Fields whose value a model reads as text: a string, or a list of text parts (Mistral's `thinking`). */
export const TEXT_FIELDS: ReadonlySet<string> = new Set(["text", "thinking", "refusal", "reasoning", "summary"]);

/** Types of parts that are text, whatever additional fields they have, if none of these is a media field. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set(["text", "refusal", "input_text", "output_text", "thinking"]);

/** Fields that may accompany the text in a part of another type. */
const TEXT_ATTRIBUTES: ReadonlySet<string> = new Set(["id", "index", "signature", "annotations", "cache_control", "closed"]);

/** Whether the only payload of a part is text. */
export function isTextPart(part: Readonly<Record<string, unknown>>): boolean {
  let isText = TEXT_TYPES.has(part["type"]);
  const hasTextType = isText;
  for (const name in part) {
    if (name === "type") continue;
    if (TEXT_FIELDS.has(name)) {
      if (!isTextValue(part[name])) return false;
      isText = true;
    } else if (Object.hasOwn(MEDIUM_FIELDS, name) ? isGiven(part, name) : !hasTextType && !TEXT_ATTRIBUTES.has(name)) return false;
  }
  return isText;
}

function isTextValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string" || (isObject(item) && isTextPart(item)));
  return value == null || typeof value === "string";
}

/**
 * Whether a part has a medium in a field. vLLM looks for media in a part of any type that has a `uuid`, and a medium without a value is in
 * vLLM's cache: https://docs.vllm.ai/en/latest/features/multimodal_inputs.html#cached-inputs.
 */
export function isGiven(part: Readonly<Record<string, unknown>>, name: string): boolean {
  if (!Object.hasOwn(part, name)) return false;
  return (part[name] !== null && part[name] !== "") || part["uuid"] != null;
}

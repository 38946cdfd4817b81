import { type Medium, type MediumTokens, tokensOf } from "../../models/media/medium.ts";
import type { Model } from "../../models/catalog.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import type { FindUpstream } from "../gateway.ts";
import { imageFormulaFor, type ImageFormula } from "../../models/media/image-tokens.ts";
import { mediaInPart } from "../../models/media/media-in-part.ts";
import { isTextPart } from "../../models/media/text-part.ts";
import { isObject } from "../../lib/schema/schema.ts";

/** The size of a prompt: its text in bytes, its media in tokens. */
export interface PromptSize {
  readonly textBytes: number;
  readonly mediaTokens: number;
  /** How the tokens of the media were estimated, as text; undefined if there are no media. */
  readonly derivation: string | undefined;
}

/**
 * The size of a prompt. The base64 of media does not count as text. The tokens of media are estimated from the decoded content. The most
 * expensive formula among the model's routes is used, because no route is chosen yet. The text is not parsed further.
 */
export function measurePrompt(chat: ChatRequest, model: Model, findUpstream: FindUpstream): PromptSize {
  const parts = mediaParts(chat);
  const sentBytes = chat.byteText.length + (model.defaultsBound?.bytes ?? 0);
  if (!parts) return { textBytes: sentBytes, mediaTokens: 0, derivation: undefined };
  const formulas = formulasOf(model, findUpstream);
  const sums = new MediaSums();
  let mediaBytes = 0;
  for (const part of parts) {
    const { media, bytes } = mediaInPart(part, chat.byteText);
    mediaBytes += bytes;
    for (const medium of media) sums.add(medium, tokensOf(medium, formulas));
  }
  const textBytes = sentBytes - mediaBytes;
  return { textBytes, mediaTokens: sums.tokens, derivation: `${describeText(textBytes)}, ${sums.describe()}` };
}

export function describeText(bytes: number): string {
  return `${bytes} bytes of text`;
}

/** The content parts that are not text; undefined if there are none, as in most requests. */
function mediaParts({ outline }: ChatRequest): Record<string, unknown>[] | undefined {
  let parts: Record<string, unknown>[] | undefined;
  for (const { content } of outline["messages"] as ChatRequest["messages"]) {
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      if (isObject(part) && !isTextPart(part)) (parts ??= []).push(part);
    }
  }
  return parts;
}

function formulasOf({ routes }: Model, findUpstream: FindUpstream): ImageFormula[] {
  return routes.map(({ upstream, upstreamModel }) => imageFormulaFor(upstreamModel, findUpstream(upstream)?.settings.dialect));
}

const NOUNS = {
  image: ["image", "images"],
  audio: ["recording", "recordings"],
  file: ["file", "files"],
  medium: ["medium", "media"],
} as const;

function nounFor(kind: Medium["kind"], count: number): string {
  return NOUNS[kind][count === 1 ? 0 : 1];
}

/** The media of a prompt, summed by kind and by estimation method. */
class MediaSums {
  tokens = 0;
  readonly #groups = new Map<string, { count: number; tokens: number; readonly kind: Medium["kind"]; readonly by: MediumTokens["by"] }>();

  add({ kind }: Medium, { tokens, by }: MediumTokens): void {
    this.tokens += tokens;
    const name = `${kind} ${by}`;
    const group = this.#groups.get(name) ?? { count: 0, tokens: 0, kind, by };
    group.count++;
    group.tokens += tokens;
    this.#groups.set(name, group);
  }

  /** For example `2 images by dimensions: 1530 tokens, 1 file by bound: 300000 tokens`. */
  describe(): string {
    const groups = [...this.#groups.values()];
    return groups.map(({ count, kind, by, tokens }) => `${count} ${nounFor(kind, count)} by ${by}: ${tokens} tokens`).join(", ");
  }
}

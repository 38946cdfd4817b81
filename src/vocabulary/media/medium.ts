import { audioTokens } from "./audio-tokens.ts";
import type { EncodedText } from "./encoded-text.ts";
import { dimensionsIn, isJpeg, type Dimensions } from "./image-dimensions.ts";
import { MOST_TOKENS_OF_AN_IMAGE, type ImageFormula } from "./image-tokens.ts";

/** A picture, a recording, a file or something else in a prompt: what its tokens follow from. */
export type Medium =
  | { readonly kind: "image"; readonly size: Dimensions | undefined; readonly detail: string | undefined }
  | { readonly kind: "audio"; readonly tokens: number; readonly by: "duration" | "size" }
  | { readonly kind: "file"; readonly bytes: number }
  | { readonly kind: "medium" };

/** How the tokens of a medium were found. */
export type Derivation = "dimensions" | "duration" | "size" | "bound";

export interface MediumTokens {
  readonly tokens: number;
  readonly by: Derivation;
}

/** Of a medium of which nothing is known: a video, a file that lies elsewhere, a kind of part that is new. */
const MOST_TOKENS_OF_A_MEDIUM = 50_000;

/** Files are counted as text is estimated, because most of them are text; a page of a PDF has up to 3,000, and providers read 100 pages. */
const FILE_BYTES_PER_TOKEN = 4;
const FEWEST_TOKENS_OF_A_FILE = 3_000;
/** https://platform.claude.com/docs/en/build-with-claude/pdf-support: 100 pages of at most 3,000 tokens each. */
const MOST_TOKENS_OF_A_FILE = 300_000;

/** By the most expensive of the ways in which the providers that may be asked count. */
export function tokensOf(medium: Medium, formulas: readonly ImageFormula[]): MediumTokens {
  switch (medium.kind) {
    case "image":
      return imageTokens(medium.size, medium.detail, formulas);
    case "audio":
      return medium;
    case "file": {
      const tokens = Math.max(Math.ceil(medium.bytes / FILE_BYTES_PER_TOKEN), FEWEST_TOKENS_OF_A_FILE);
      return tokens > MOST_TOKENS_OF_A_FILE ? { tokens: MOST_TOKENS_OF_A_FILE, by: "bound" } : { tokens, by: "size" };
    }
    case "medium":
      return { tokens: MOST_TOKENS_OF_A_MEDIUM, by: "bound" };
  }
}

function imageTokens(size: Dimensions | undefined, detail: string | undefined, formulas: readonly ImageFormula[]): MediumTokens {
  if (formulas.length === 0) return { tokens: MOST_TOKENS_OF_AN_IMAGE, by: "bound" };
  let tokens = 0;
  for (const formula of formulas) tokens = Math.max(tokens, size ? formula.tokens(size, detail) : formula.most);
  return { tokens, by: size ? "dimensions" : "bound" };
}

/** As much of a file as has its header. */
const HEAD_BYTES = 4 * 1024;

/** A JPEG may have a description and a colour profile before its size. */
const JPEG_HEAD_BYTES = 256 * 1024;

/** What a medium in base64 is, from this position of a text on. Its bytes say so where the type that was given for it does not. */
export function encodedMedium(text: EncodedText, from: number, mediaType: string, detail: string | undefined): Medium {
  const padding = /=*$/.exec(text.slice(text.length - 2, text.length))![0].length;
  const bytes = Math.floor(((text.length - from - padding) * 3) / 4);
  const head = decoded(text, from, HEAD_BYTES);
  const size = dimensionsIn(head, bytes) ?? (isJpeg(head) ? dimensionsIn(decoded(text, from, JPEG_HEAD_BYTES), bytes) : undefined);
  if (size || mediaType.startsWith("image/")) return { kind: "image", size, detail };
  if (mediaType.startsWith("audio/")) return { kind: "audio", ...audioTokens(head, bytes) };
  if (mediaType === "" || mediaType.startsWith("video/")) return { kind: "medium" };
  return { kind: "file", bytes };
}

function decoded(text: EncodedText, from: number, bytes: number): Buffer {
  return Buffer.from(text.slice(from, from + Math.ceil(bytes / 3) * 4), "base64");
}

import { audioTokens, MAX_AUDIO_TOKENS, type AudioTokens } from "./audio-tokens.ts";
import type { EncodedText } from "./encoded-text.ts";
import { dimensionsIn, hasLongHeader, type Dimensions } from "./image-dimensions.ts";
import { MAX_IMAGE_TOKENS, type ImageFormula } from "./image-tokens.ts";

/** An image, a recording, a file or other media in a prompt, with the properties that determine its tokens. */
export type Medium =
  | { readonly kind: "image"; readonly size: Dimensions | undefined; readonly detail: string | undefined }
  | ({ readonly kind: "audio" } & AudioTokens)
  | ({ readonly kind: "file" } & FileTokens)
  | { readonly kind: "medium" };

/** How the tokens of a medium were derived. */
type Derivation = "dimensions" | "duration" | "size" | "bound";

export interface MediumTokens {
  readonly tokens: number;
  readonly by: Derivation;
}

/** The bound for unknown media: a video, or an unknown type of part. */
const MAX_MEDIUM_TOKENS = 50_000;

/** The highest count among the formulas of the candidate providers. */
export function tokensOf(medium: Medium, formulas: readonly ImageFormula[]): MediumTokens {
  switch (medium.kind) {
    case "image":
      return imageTokens(medium.size, medium.detail, formulas);
    case "audio":
    case "file":
      return medium;
    case "medium":
      return { tokens: MAX_MEDIUM_TOKENS, by: "bound" };
  }
}

function imageTokens(size: Dimensions | undefined, detail: string | undefined, formulas: readonly ImageFormula[]): MediumTokens {
  if (formulas.length === 0) return { tokens: MAX_IMAGE_TOKENS, by: "bound" };
  let tokens = 0;
  for (const formula of formulas) tokens = Math.max(tokens, size ? formula.tokens(size, detail) : formula.most);
  return { tokens, by: size ? "dimensions" : "bound" };
}

/** A medium whose kind is all that is known, such as a medium at a URL. */
export function unreadMedium(kind: Medium["kind"], detail: string | undefined): Medium {
  switch (kind) {
    case "image":
      return { kind, size: undefined, detail };
    case "audio":
      return { kind, tokens: MAX_AUDIO_TOKENS, by: "bound" };
    case "file":
      return { kind, ...MAX_FILE_TOKENS };
    case "medium":
      return { kind };
  }
}

/** Enough bytes of a file to contain its header. */
const HEAD_BYTES = 4 * 1024;

/** In a JPEG or a WebP, a description and a colour profile may precede the size. */
const LONG_HEAD_BYTES = 256 * 1024;

/**
 * A medium in base64 at this position of a text. Its kind is the kind that servers expect in this field. Bytes with the signature of
 * another kind do not change it: text may start like a small GIF.
 */
export function encodedMedium(
  expected: Medium["kind"],
  text: EncodedText,
  from: number,
  mediaType: string,
  detail: string | undefined,
): Medium {
  const kind = expected === "image" ? kindAtImage(mediaType) : expected;
  const padding = /=*$/.exec(text.slice(text.length - 2, text.length))![0].length;
  const bytes = Math.floor(((text.length - from - padding) * 3) / 4);
  const head = decoded(text, from, HEAD_BYTES);
  switch (kind) {
    case "image":
      return { kind, size: dimensionsIn(hasLongHeader(head) ? decoded(text, from, LONG_HEAD_BYTES) : head, bytes), detail };
    case "audio":
      return { kind, ...audioTokens(head, bytes) };
    case "file":
      return { kind, ...fileTokens(head, bytes, mediaType) };
    case "medium":
      return { kind };
  }
}

/** If an image is expected, Gemini reads a data URL of any type, according to the type that it declares. */
function kindAtImage(mediaType: string): Medium["kind"] {
  if (mediaType === "" || mediaType === "application/octet-stream" || mediaType.startsWith("image/")) return "image";
  if (mediaType.startsWith("audio/")) return "audio";
  return mediaType.startsWith("video/") ? "medium" : "file";
}

function decoded(text: EncodedText, from: number, bytes: number): Buffer {
  return Buffer.from(text.slice(from, from + Math.ceil(bytes / 3) * 4), "base64");
}

/** The tokens of a file, and how they were derived. */
interface FileTokens {
  readonly tokens: number;
  readonly by: "size" | "bound";
}

/**
 * 100 pages of at most 3,000 tokens each: https://platform.claude.com/docs/en/build-with-claude/pdf-support. A PDF of 5 KB can have 100
 * such pages, all drawn by the same objects, and compressed objects hide the number of pages. No lower bound can therefore be derived from
 * the bytes of a PDF, or of an office document, which is also compressed.
 */
const MAX_FILE_TOKENS: FileTokens = { tokens: 300_000, by: "bound" };

/** Media types of text, in addition to `text/…`. */
const TEXT_TYPE = /^(?:text\/.+|application\/(?:.+\+)?(?:json|jsonl|x-ndjson|xml|yaml|x-yaml|toml|javascript|sql))$/;

/** Control characters that text does not contain. Compressed formats contain them in their first bytes. */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

/** Servers that detect the type by content treat a file as a PDF if this is within its first 1,024 bytes. */
const PDF = "%PDF";
const PDF_WITHIN = 1_024 + PDF.length;

/**
 * The tokens of a file with this declared type that begins with `head`. Text is counted as one token per byte, because no text has more
 * tokens than bytes. The count has no maximum except the context window of the model.
 */
function fileTokens(head: Buffer, allBytes: number, mediaType: string): FileTokens {
  const isPdf = head.subarray(0, PDF_WITHIN).includes(PDF);
  if (isPdf || !TEXT_TYPE.test(mediaType) || BINARY.test(head.toString("latin1"))) return MAX_FILE_TOKENS;
  return { tokens: Math.max(1, allBytes), by: "size" };
}

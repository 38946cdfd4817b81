import { hasLargeImages } from "../claude-models.ts";
import type { Dialect } from "../upstream-settings.ts";
import type { Dimensions } from "./image-dimensions.ts";

/** How a provider counts the tokens of an image. */
export interface ImageFormula {
  /** The tokens by size and requested `detail`. */
  readonly tokens: (size: Dimensions, detail: string | undefined) => number;
  /** The maximum for an image of any size. */
  readonly most: number;
}

/** The bound if the size or the formula is unknown. It is above the tokens of any model: GPT-4o mini's largest image has 48,169. */
export const MAX_IMAGE_TOKENS = 50_000;

/**
 * The published formulas, by upstream model; the first match wins.
 *
 * - OpenAI: https://platform.openai.com/docs/guides/images-vision#calculating-costs (tiles, patches and their multipliers) and
 *   #model-sizing-behavior (10,000 patches, 2,500 at `high`). From GPT-5.2 on the multiplier is 1.2, and from GPT-6 on more than 10,000
 *   patches are billed, both as measured: https://huggingface.co/datasets/JOHNISKING/image-token-cost.
 * - Anthropic: https://platform.claude.com/docs/en/build-with-claude/vision (28 × 28 pixels per token, at most about 1,600; 4,784 from 4.7
 *   on).
 * - Google: https://ai.google.dev/gemini-api/docs/tokens (258 per tile) and https://ai.google.dev/gemini-api/docs/media-resolution (1,120).
 * - Mistral: https://www.scaleway.com/en/docs/ai-data/managed-inference/reference-content/pixtral-12b-2409/ (Pixtral: 16 × 16 pixels per
 *   token, up to 1,024) and https://mistralai.github.io/mistral-common/usage/images (others: patches of 14, two by two, up to the 1,540 of
 *   their configs).
 * - Qwen: https://www.alibabacloud.com/help/en/model-studio/vision (28 × 28 pixels per token, at most 16,384).
 * - xAI: https://docs.x.ai/docs/guides/image-understanding (256 for each of up to 6 tiles of 448 × 448, and 256 more).
 */
const FORMULAS: readonly (readonly [RegExp, ImageFormula])[] = [
  [/gpt-4o-mini/, tiles(2833, 5667)],
  [/gpt-4\.1-mini/, patches(1536, 1.62)],
  [/gpt-4\.1-nano/, patches(1536, 2.46)],
  [/o4-mini|codex-mini/, patches(1536, 1.72)],
  [/gpt-5(\.\d+)?-mini/, patches(2500, 1.62)],
  [/gpt-5(\.\d+)?-nano/, patches(2500, 2.46)],
  [/gpt-5\.\d/, patches(10_000, 1.2)],
  [/gpt-([6-9]|\d\d)/, patches(41_666, 1.2)],
  [/gpt-5/, tiles(70, 140)],
  [/\bo[13](-|$)/, tiles(75, 150)],
  [/computer-use/, tiles(65, 129)],
  [/gpt-4/, tiles(85, 170)],
  [/gemini-[12]/, crops(258)],
  [/gemini/, fixedTokens(1120)],
  [/pixtral/, grid(16, 1024)],
  [/mistral|magistral|ministral|devstral/, grid(28, 1540)],
  [/qwen|qvq/, upTo(16_384, (size) => blocks(size, 28) + 2)],
  [/grok/, upTo(7 * 256, (size) => (blocks(size, 448) + 1) * 256)],
];

const CLAUDE = upTo(1600, (size) => blocks(size, 28));
const CLAUDE_LARGE = upTo(4784, (size) => blocks(size, 28));

/** For models that are known only by the API format of their upstream. */
const BY_DIALECT: Partial<Record<Dialect, ImageFormula>> = { anthropic: CLAUDE_LARGE, gemini: fixedTokens(1120) };

/**
 * For models without a published formula, an estimate above open models: one token per 14 × 14 pixels and one per row, as in the vision
 * encoders with the finest resolution (CLIP and SigLIP, patch 14). The minimum is LLaVA-NeXT's 2,880 for the smallest image, and the
 * maximum is Qwen's 16,384.
 */
const UNPUBLISHED: ImageFormula = {
  tokens: (size) => Math.min(Math.max(blocks(size, 14) + unitsAcross(size.height, 14), 2880), 16_384),
  most: MAX_IMAGE_TOKENS,
};

/** The formula of a model, by its upstream model and API format. */
export function imageFormulaFor(upstreamModel: string, dialect: Dialect | undefined): ImageFormula {
  const name = upstreamModel.toLowerCase();
  if (name.includes("claude")) return hasLargeImages(name) ? CLAUDE_LARGE : CLAUDE;
  for (const [pattern, formula] of FORMULAS) if (pattern.test(name)) return formula;
  return (dialect && BY_DIALECT[dialect]) ?? UNPUBLISHED;
}

/** OpenAI's older formula: scaled into 2,048 × 2,048, then to 768 on the shorter side, and cut into tiles of 512 × 512. */
function tiles(base: number, tile: number): ImageFormula {
  const counted = ({ width, height }: Dimensions): number => {
    const box = Math.min(1, 2048 / Math.max(width, height));
    const scale = box * Math.min(1, 768 / (Math.min(width, height) * box));
    return base + tile * blocks({ width: width * scale, height: height * scale }, 512);
  };
  return { tokens: (size, detail) => (detail === "low" ? base : counted(size)), most: base + tile * 8 };
}

/** OpenAI's newer formula: patches of 32 × 32, scaled down to the maximum number of patches. */
function patches(most: number, multiplier: number): ImageFormula {
  const times = (count: number): number => Math.ceil(count * multiplier);
  const limit = (detail: string | undefined): number => (detail === "high" || detail === "low" ? Math.min(most, 2500) : most);
  return { tokens: (size, detail) => times(Math.min(blocks(size, 32), limit(detail))), most: times(most) };
}

/**
 * Google's formula up to Gemini 2.5: one tile for up to 384 × 384 pixels, otherwise tiles of two thirds of the shorter side, with 256 to
 * 768 pixels.
 */
function crops(tile: number): ImageFormula {
  const counted = (size: Dimensions): number => {
    if (Math.max(size.width, size.height) <= 384) return tile;
    const side = Math.min(Math.max(Math.floor(Math.min(size.width, size.height) / 1.5), 256), 768);
    return tile * blocks(size, side);
  };
  return upTo(MAX_IMAGE_TOKENS, counted);
}

/** Mistral's formula: scaled to a maximum of the longer side, with one additional token per row of patches. */
function grid(patch: number, maxSide: number): ImageFormula {
  const counted = ({ width, height }: Dimensions): number => {
    const scale = Math.min(1, maxSide / Math.max(width, height));
    const rows = unitsAcross(height * scale, patch);
    return unitsAcross(width * scale, patch) * rows + rows;
  };
  return upTo(counted({ width: maxSide, height: maxSide }), counted);
}

function fixedTokens(tokens: number): ImageFormula {
  return { tokens: () => tokens, most: tokens };
}

function upTo(most: number, counted: (size: Dimensions) => number): ImageFormula {
  return { tokens: (size) => Math.min(counted(size), most), most };
}

function blocks({ width, height }: Dimensions, side: number): number {
  return unitsAcross(width, side) * unitsAcross(height, side);
}

function unitsAcross(pixels: number, side: number): number {
  return Math.max(1, Math.ceil(pixels / side));
}

/** The highest published rate: Gemini's 32 (https://ai.google.dev/gemini-api/docs/tokens). OpenAI has 10, Qwen 25. */
const TOKENS_PER_SECOND = 32;

/** Speech as voice messages have it, in Opus at 16 kbit/s. Hardly a recording has fewer. */
const LEAST_BYTES_PER_SECOND = 2_000;

/** Two channels of 24 bits at 192 kHz. */
const MOST_BYTES_PER_SECOND = 1_152_000;

/** How many tokens a recording has, of which these bytes are the first: a WAV by its duration, any other by its size. */
export function audioTokens(bytes: Buffer, allBytes: number): { readonly tokens: number; readonly by: "duration" | "size" } {
  const rate = wavBytesPerSecond(bytes);
  const seconds = Math.ceil(allBytes / (rate ?? LEAST_BYTES_PER_SECOND));
  return { tokens: Math.max(1, seconds) * TOKENS_PER_SECOND, by: rate === undefined ? "size" : "duration" };
}

/**
 * https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html: the average bytes a second, in the format chunk. The length that the
 * header claims is not used, and a rate that no recording has is none.
 */
function wavBytesPerSecond(bytes: Buffer): number | undefined {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WAVE") return undefined;
  const format = bytes.indexOf("fmt ", 12, "latin1");
  if (format < 0 || bytes.length < format + 20) return undefined;
  const rate = bytes.readUInt32LE(format + 16);
  return rate >= LEAST_BYTES_PER_SECOND && rate <= MOST_BYTES_PER_SECOND ? rate : undefined;
}

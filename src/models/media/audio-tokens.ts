/** The highest published rate, which is Gemini's 32 (https://ai.google.dev/gemini-api/docs/tokens). OpenAI has 10, Qwen 25. */
const TOKENS_PER_SECOND = 32;

/** 8 kbit/s: the lowest bit rate of an MP3 (ISO/IEC 13818-3, 2.4.2.3), and lower than the rate of speech in any other codec. */
const MIN_BYTES_PER_SECOND = 1_000;

/** Two channels of 24 bits at 192 kHz. */
const MAX_BYTES_PER_SECOND = 1_152_000;

/**
 * The bound for a recording whose size does not determine its duration, equal to 26 minutes. Silence in FLAC, or in Opus and AAC with
 * variable bit rates, takes less than two bytes per second. A recording at a URL has the same bound.
 */
export const MAX_AUDIO_TOKENS = 50_000;

/** The tokens of a recording, and how they were derived. */
export interface AudioTokens {
  readonly tokens: number;
  readonly by: "duration" | "size" | "bound";
}

/**
 * The tokens of a recording that begins with `bytes`. A WAV is counted by its duration, an MP3 by its size, and any other format by a
 * bound.
 */
export function audioTokens(bytes: Buffer, allBytes: number): AudioTokens {
  const rate = wavBytesPerSecond(bytes);
  const tokens = Math.max(1, Math.ceil(allBytes / (rate ?? MIN_BYTES_PER_SECOND))) * TOKENS_PER_SECOND;
  if (rate !== undefined) return { tokens, by: "duration" };
  if (isMp3(bytes) || tokens >= MAX_AUDIO_TOKENS) return { tokens, by: "size" };
  return { tokens: MAX_AUDIO_TOKENS, by: "bound" };
}

/** Codes of formats in which each sample has the same number of bytes: PCM, floating point, A-law and µ-law. */
const UNCOMPRESSED: ReadonlySet<number> = new Set([1, 3, 6, 7]);

/** WAVE_FORMAT_EXTENSIBLE: the code is in the first two bytes of the subformat. */
const EXTENSIBLE = 0xff_fe;

/**
 * https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html. The header has the rate three times, and decoders differ in which
 * value they use, so the lowest counts. The length that the header claims is not used. A rate that no recording can have is ignored.
 */
function wavBytesPerSecond(bytes: Buffer): number | undefined {
  const format = wavFormat(bytes);
  if (!format || !UNCOMPRESSED.has(codeOf(format))) return undefined;
  const sampleRate = format.readUInt32LE(4);
  const sampleBytes = format.readUInt16LE(2) * Math.ceil(format.readUInt16LE(14) / 8);
  const rate = Math.min(format.readUInt32LE(8), sampleRate * format.readUInt16LE(12), sampleRate * sampleBytes);
  return rate >= MIN_BYTES_PER_SECOND && rate <= MAX_BYTES_PER_SECOND ? rate : undefined;
}

function codeOf(format: Buffer): number {
  const code = format.readUInt16LE(0);
  return code === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : code;
}

/** The content of the format chunk, found chunk by chunk: the letters `fmt ` may also occur in the content of another chunk. */
function wavFormat(bytes: Buffer): Buffer | undefined {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WAVE") return undefined;
  let at = 12;
  while (at + 24 <= bytes.length) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (name === "fmt ") return size >= 16 ? bytes.subarray(at + 8, at + 8 + size) : undefined;
    // Chunks start at even offsets.
    at += 8 + size + (size % 2);
  }
  return undefined;
}

/** Whether the bytes begin with a frame of an MP3, or with an ID3 tag and a frame (https://id3.org/id3v2.4.0-structure). */
function isMp3(bytes: Buffer): boolean {
  const hasTag = bytes.length >= 10 && bytes.toString("latin1", 0, 3) === "ID3";
  // Each byte of the tag's size has seven bits.
  const at = hasTag ? 10 + bytes[6]! * 0x20_00_00 + bytes[7]! * 0x40_00 + bytes[8]! * 0x80 + bytes[9]! : 0;
  if (at + 4 > bytes.length) return false;
  const [sync, kind, rates] = bytes.subarray(at, at + 3) as unknown as [number, number, number];
  const isLayer3 = sync === 0xff && (kind & 0xe6) === 0xe2 && (kind & 0x18) !== 0x08;
  const bitRate = rates >> 4;
  // Bit rate 0 means "free format", which may be lower than any other.
  return isLayer3 && bitRate !== 0 && bitRate !== 15 && ((rates >> 2) & 3) !== 3;
}

/** The size of an image in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** The highest value that these formats can encode; providers accept far less. */
const MAX_SIDE = 65_535;

/** Four channels of 16 bits: no image needs more bytes per pixel, compressed or not. */
const MAX_BYTES_PER_PIXEL = 8;

/** An allowance for metadata: colour profiles, thumbnails, descriptions. */
const METADATA_BYTES = 256 * 1024;

/**
 * The dimensions in the header of a PNG, JPEG, WebP or GIF, given its first bytes. The image is not decoded. Undefined if there are no
 * dimensions, or if they are implausible: `allBytes`, the size of the file, is more than such an image can have. A header with dimensions
 * that are too small would make the image cheaper than the image that the provider bills.
 */
export function dimensionsIn(bytes: Buffer, allBytes: number): Dimensions | undefined {
  const found = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return found && isPlausible(found, allBytes) ? found : undefined;
}

function isPlausible({ width, height }: Dimensions, allBytes: number): boolean {
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) return false;
  return allBytes <= width * height * MAX_BYTES_PER_PIXEL + METADATA_BYTES;
}

/**
 * https://www.w3.org/TR/png-3/#11IHDR: the first chunk, after the signature. Decoders reject a file in which IHDR is not the first chunk.
 */
function pngSize(bytes: Buffer): Dimensions | undefined {
  if (!has(bytes, 0, "\u0089PNG\r\n\u001a\n\0\0\0\u000dIHDR") || bytes.length < 24) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;

/**
 * https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 18 and 20: the size of the logical screen, or of the first image if that is larger:
 * decoders enlarge the screen to fit it.
 */
function gifSize(bytes: Buffer): Dimensions | undefined {
  if (!(has(bytes, 0, "GIF87a") || has(bytes, 0, "GIF89a")) || bytes.length < 13) return undefined;
  let at = 13 + colorTableBytes(bytes[10]!);
  while (bytes[at] === GIF_EXTENSION) at = behindSubBlocks(bytes, at + 2);
  if (bytes[at] !== GIF_IMAGE || bytes.length < at + 9) return undefined;
  const right = bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5);
  const bottom = bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7);
  return { width: Math.max(bytes.readUInt16LE(6), right), height: Math.max(bytes.readUInt16LE(8), bottom) };
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function behindSubBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
  return at + 1;
}

function isWebp(bytes: Buffer): boolean {
  return has(bytes, 0, "RIFF") && has(bytes, 8, "WEBP");
}

/** RFC 9649: lossy (`VP8 `), lossless (`VP8L`), or with a canvas (`VP8X`) and frames in later chunks. */
function webpSize(bytes: Buffer): Dimensions | undefined {
  if (!isWebp(bytes) || bytes.length < 30) return undefined;
  if (!has(bytes, 12, "VP8X")) return webpFrameSize(bytes, 12);
  const frame = webpFrameBehindCanvas(bytes);
  // libwebp rejects a frame of another size. A decoder that ignores the canvas uses the size of the frame.
  return (
    frame && { width: Math.max(frame.width, bytes.readUIntLE(24, 3) + 1), height: Math.max(frame.height, bytes.readUIntLE(27, 3) + 1) }
  );
}

function webpFrameBehindCanvas(bytes: Buffer): Dimensions | undefined {
  let at = 12;
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
    const frame = webpFrameSize(bytes, at);
    if (frame) return frame;
  }
  return undefined;
}

function webpFrameSize(bytes: Buffer, at: number): Dimensions | undefined {
  if (bytes.length < at + 18) return undefined;
  if (has(bytes, at, "ANMF")) return bytes.length < at + 20 ? undefined : animationFrameSize(bytes, at + 8);
  if (has(bytes, at, "VP8L") && bytes[at + 8] === 0x2f) {
    const bits = bytes.readUInt32LE(at + 9);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!has(bytes, at, "VP8 ") || !has(bytes, at + 11, "\u009d\u0001\u002a")) return undefined;
  return { width: bytes.readUInt16LE(at + 14) & 0x3fff, height: bytes.readUInt16LE(at + 16) & 0x3fff };
}

function animationFrameSize(bytes: Buffer, at: number): Dimensions {
  return { width: bytes.readUIntLE(at + 6, 3) + 1, height: bytes.readUIntLE(at + 9, 3) + 1 };
}

/** Whether these bytes start a JPEG or a WebP, which may have a colour profile before the size. */
export function hasLongHeader(bytes: Buffer): boolean {
  return isJpeg(bytes) || isWebp(bytes);
}

function isJpeg(bytes: Buffer): boolean {
  return has(bytes, 0, "\u00ff\u00d8\u00ff");
}

const MARKER = 0xff;

/**
 * ITU-T T.81, B.1.1: consecutive segments, up to the first segment that starts a frame. Decoders skip bytes that are not markers, and
 * reject unknown markers, so parsing stops at either.
 */
function jpegSize(bytes: Buffer): Dimensions | undefined {
  if (!isJpeg(bytes)) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === MARKER) {
    const kind = bytes[at + 1]!;
    if (beginsFrame(kind)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    if (kind === MARKER) at += 1;
    else if (standsAlone(kind)) at += 2;
    else if (hasLength(kind) && bytes.readUInt16BE(at + 2) >= 2) at += 2 + bytes.readUInt16BE(at + 2);
    else return undefined;
  }
  return undefined;
}

/** TEM, and RST0 to RST7, which have no length. */
function standsAlone(kind: number): boolean {
  return kind === 0x01 || (kind >= 0xd0 && kind <= 0xd7);
}

/** DHT, DAC, DQT, DNL, DRI, the applications' segments, and comments. A scan cannot occur before the frame. */
function hasLength(kind: number): boolean {
  return kind === 0xc4 || kind === 0xcc || (kind >= 0xdb && kind <= 0xdd) || (kind >= 0xe0 && kind <= 0xef) || kind === 0xfe;
}

/** SOF0 to SOF15. Three markers in this range are of another kind: DHT, JPG and DAC. */
function beginsFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}

function has(bytes: Buffer, at: number, text: string): boolean {
  if (bytes.length < at + text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}

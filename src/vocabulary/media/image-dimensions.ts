/** The size of a picture in pixels. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** No format here can say more, and no provider takes nearly as much. */
const MAX_SIDE = 65_535;

/** Four channels of 16 bits: no picture needs more bytes for a pixel, compressed or not. */
const MAX_BYTES_PER_PIXEL = 8;

/** For what stands beside the pixels: colour profiles, thumbnails, descriptions. */
const METADATA_BYTES = 256 * 1024;

/**
 * The dimensions that the header of a PNG, JPEG, WebP or GIF says, of whose bytes these are the first. Nothing is decoded. Undefined where
 * there are none, or where they cannot be true: `allBytes`, the size of the whole file, is more than such a picture can have. A header that
 * claims less than there is would be a cheaper picture than the one the provider sees.
 */
export function dimensionsIn(bytes: Buffer, allBytes: number): Dimensions | undefined {
  const found = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return found && isPlausible(found, allBytes) ? found : undefined;
}

function isPlausible({ width, height }: Dimensions, allBytes: number): boolean {
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) return false;
  return allBytes <= width * height * MAX_BYTES_PER_PIXEL + METADATA_BYTES;
}

/** https://www.w3.org/TR/png-3/#11IHDR: the first chunk, behind the signature. */
function pngSize(bytes: Buffer): Dimensions | undefined {
  if (!has(bytes, 0, "\u0089PNG\r\n\u001a\n") || !has(bytes, 12, "IHDR") || bytes.length < 24) return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 18: the logical screen. */
function gifSize(bytes: Buffer): Dimensions | undefined {
  if (!(has(bytes, 0, "GIF87a") || has(bytes, 0, "GIF89a")) || bytes.length < 10) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** RFC 9649: lossy (`VP8 `), lossless (`VP8L`), or with a header of its own (`VP8X`). */
function webpSize(bytes: Buffer): Dimensions | undefined {
  if (!has(bytes, 0, "RIFF") || !has(bytes, 8, "WEBP") || bytes.length < 30) return undefined;
  if (has(bytes, 12, "VP8X")) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (has(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!has(bytes, 12, "VP8 ") || !has(bytes, 23, "\u009d\u0001\u002a")) return undefined;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

export function isJpeg(bytes: Buffer): boolean {
  return has(bytes, 0, "\u00ff\u00d8\u00ff");
}

const MARKER = 0xff;

/** ITU-T T.81, B.1.1: segments, one behind the other, until the one that begins a frame. */
function jpegSize(bytes: Buffer): Dimensions | undefined {
  if (!isJpeg(bytes)) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === MARKER) {
    const kind = bytes[at + 1]!;
    if (beginsFrame(kind)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    // Fill bytes may stand before a marker.
    at += kind === MARKER ? 1 : 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

/** SOF0 to SOF15, among which are three markers of another kind: DHT, JPG and DAC. */
function beginsFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}

function has(bytes: Buffer, at: number, text: string): boolean {
  if (bytes.length < at + text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}

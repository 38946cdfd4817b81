/** The first bytes of images that contain their size. The test adds the other bytes. */

type Header = (width: number, height: number) => Buffer;

function uint(size: number, value: number, isLittle = false): Buffer {
  const bytes = Buffer.alloc(size);
  if (isLittle) bytes.writeUIntLE(value, 0, size);
  else bytes.writeUIntBE(value, 0, size);
  return bytes;
}

const ascii = (text: string): Buffer => Buffer.from(text, "latin1");

export const png: Header = (width, height) =>
  Buffer.concat([ascii("\u0089PNG\r\n\u001a\n"), uint(4, 13), ascii("IHDR"), uint(4, width), uint(4, height), ascii("\u0008\u0006\0\0\0")]);

/** With a logical screen of a different size, a color table, and an extension before the first image. */
export function gifOnScreen(screenWidth: number, screenHeight: number): Header {
  return (width, height) =>
    Buffer.concat([
      ascii("GIF89a"),
      uint(2, screenWidth, true),
      uint(2, screenHeight, true),
      ascii("\u0080\0\0"),
      Buffer.alloc(6),
      ascii("\u0021\u00fe\u0005hello\u0001,\0"),
      ascii(",\0\0\0\0"),
      uint(2, width, true),
      uint(2, height, true),
      ascii("\0\u0002"),
    ]);
}

export const gif: Header = (width, height) => gifOnScreen(width, height)(width, height);

/** With segments of these sizes before the segment that has the image size. */
export function jpegBehind(segmentBytes: readonly number[]): Header {
  return (width, height) => {
    const segments = segmentBytes.map((bytes) => Buffer.concat([ascii("\u00ff\u00e1"), uint(2, bytes + 2), Buffer.alloc(bytes, 7)]));
    const frame = Buffer.concat([
      ascii("\u00ff\u00c2"),
      uint(2, 17),
      ascii("\u0008"),
      uint(2, height),
      uint(2, width),
      Buffer.alloc(10, 3),
    ]);
    return Buffer.concat([ascii("\u00ff\u00d8"), ...segments, ascii("\u00ff"), frame]);
  };
}

const riff = (chunk: string, content: Buffer): Buffer =>
  Buffer.concat([
    ascii("RIFF"),
    uint(4, 4 + 8 + content.length, true),
    ascii("WEBP"),
    ascii(chunk),
    uint(4, content.length, true),
    content,
  ]);

export const webpLossy: Header = (width, height) =>
  riff("VP8 ", Buffer.concat([ascii("\0\0\0\u009d\u0001\u002a"), uint(2, width, true), uint(2, height, true), Buffer.alloc(8)]));

export const webpLossless: Header = (width, height) =>
  riff("VP8L", Buffer.concat([ascii("\u002f"), uint(4, (((height - 1) << 14) | (width - 1)) >>> 0, true), Buffer.alloc(8)]));

/** With a canvas of a different size, and a color profile before the frame. */
export function webpOnCanvas(canvasWidth: number, canvasHeight: number): Header {
  return (width, height) =>
    Buffer.concat([
      riff("VP8X", Buffer.concat([Buffer.alloc(4), uint(3, canvasWidth - 1, true), uint(3, canvasHeight - 1, true)])),
      ascii("ICCP"),
      uint(4, 5_001, true),
      Buffer.alloc(5_002),
      ascii("ANMF"),
      uint(4, 16, true),
      Buffer.alloc(6),
      uint(3, width - 1, true),
      uint(3, height - 1, true),
      Buffer.alloc(4),
    ]);
}

export const webpExtended: Header = (width, height) => webpOnCanvas(width, height)(width, height);

/** A WAV file with 16 bits and one channel. The values in its header can be replaced. */
export function wav(
  bytesPerSecond: number,
  dataBytes: number,
  claims: { byteRate?: number; blockAlign?: number; code?: number } = {},
): Buffer {
  const { byteRate = bytesPerSecond, blockAlign = 2, code = 1 } = claims;
  const format = Buffer.concat([
    uint(2, code, true),
    uint(2, 1, true),
    uint(4, Math.floor(bytesPerSecond / 2), true),
    uint(4, byteRate, true),
    uint(2, blockAlign, true),
    uint(2, 16, true),
  ]);
  const head = Buffer.concat([ascii("fmt "), uint(4, format.length, true), format, ascii("data"), uint(4, dataBytes, true)]);
  return riffWave(head, Buffer.alloc(dataBytes, 1));
}

export function riffWave(...chunks: readonly Buffer[]): Buffer {
  const content = Buffer.concat(chunks);
  return Buffer.concat([ascii("RIFF"), uint(4, 4 + content.length, true), ascii("WAVE"), content]);
}

/** The first frame of an MP3 file of this many bytes, by the index of its bit rate. */
export function mp3(bytes: number, bitRate = 9): Buffer {
  return padded(Buffer.from([0xff, 0xfb, bitRate << 4, 0]), bytes);
}

/** An image file of this many bytes. */
export function padded(header: Buffer, bytes: number): Buffer {
  return Buffer.concat([header, Buffer.alloc(Math.max(0, bytes - header.length), 0xa5)]);
}

export function dataUrl(bytes: Buffer, type = "image/png"): string {
  return `data:${type};base64,${bytes.toString("base64")}`;
}

/** The first bytes of pictures, as far as their size is in them. The rest is whatever the caller adds. */

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

export const gif: Header = (width, height) =>
  Buffer.concat([ascii("GIF89a"), uint(2, width, true), uint(2, height, true), ascii("\0\0\0")]);

/** With so many bytes of segments before the one that has the size. */
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

export const webpExtended: Header = (width, height) =>
  riff("VP8X", Buffer.concat([Buffer.alloc(4), uint(3, width - 1, true), uint(3, height - 1, true), Buffer.alloc(8)]));

/** A WAV with so many bytes a second. */
export function wav(bytesPerSecond: number, dataBytes: number): Buffer {
  const format = Buffer.concat([uint(2, 1, true), uint(2, 1, true), uint(4, 16_000, true), uint(4, bytesPerSecond, true), uint(4, 0)]);
  const head = Buffer.concat([ascii("WAVEfmt "), uint(4, format.length, true), format, ascii("data"), uint(4, dataBytes, true)]);
  return Buffer.concat([ascii("RIFF"), uint(4, head.length + dataBytes, true), head, Buffer.alloc(dataBytes, 1)]);
}

/** A picture whose file has so many bytes. */
export function padded(header: Buffer, bytes: number): Buffer {
  return Buffer.concat([header, Buffer.alloc(Math.max(0, bytes - header.length), 0xa5)]);
}

export function dataUrl(bytes: Buffer, type = "image/png"): string {
  return `data:${type};base64,${bytes.toString("base64")}`;
}

import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOURS = 256;
const TRUE_COLOUR = 2;
const INDEXED = 3;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each pixel, row by row. */
  readonly bytes: Buffer;
}

/** Reduces a picture to at most 256 colours: a third of the size, without a visible difference for pages of text and lines. */
export function shrinkPng(png: Buffer): Buffer {
  const { width, height, bytes } = readPixels(png);
  const palette = choosePalette(countColours(bytes));
  const nearest = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < width * height; at++) {
    const colour = bytes.readUIntBE(at * 3, 3);
    if (!nearest.has(colour)) nearest.set(colour, nearestTo(colour, palette));
    // A row starts with its filter type: none.
    rows[at + Math.floor(at / width) + 1] = nearest.get(colour)!;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, INDEXED], 8);
  const colours = Buffer.concat(palette.map((colour) => Buffer.from([colour >> 16, colour >> 8, colour])));
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([SIGNATURE, block("IHDR", head), block("PLTE", colours), block("IDAT", data), block("IEND", Buffer.alloc(0))]);
}

function block(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Reads a screenshot of a browser: 8 bits per channel, three channels, not interlaced. */
function readPixels(png: Buffer): Pixels {
  const blocks = blocksIn(png);
  const head = blocks.find(([type]) => type === "IHDR")![1];
  if (head[8] !== 8 || head[9] !== TRUE_COLOUR || head[12] !== 0) throw new Error("This is not a picture as the browser takes it.");
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const filtered = inflateSync(Buffer.concat(blocks.filter(([type]) => type === "IDAT").map(([, data]) => data)));
  return { width, height, bytes: unfilter(filtered, width * 3) };
}

function blocksIn(png: Buffer): (readonly [type: string, data: Buffer])[] {
  const blocks: (readonly [string, Buffer])[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    blocks.push([png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length)]);
    at += length + 12;
  }
  return blocks;
}

/** Undoes the filters, which store differences from a prediction that is made from neighbouring pixels: PNG (third edition), section 9. */
function unfilter(filtered: Buffer, stride: number): Buffer {
  const bytes = Buffer.alloc((filtered.length / (stride + 1)) * stride);
  for (let at = 0; at < bytes.length; at++) {
    const [row, column] = [Math.floor(at / stride), at % stride];
    const left = column < 3 ? 0 : bytes[at - 3]!;
    const above = row === 0 ? 0 : bytes[at - stride]!;
    const corner = row === 0 || column < 3 ? 0 : bytes[at - stride - 3]!;
    bytes[at] = filtered[at + row + 1]! + foretold(filtered[row * (stride + 1)]!, left, above, corner);
  }
  return bytes;
}

function foretold(filter: number, left: number, above: number, corner: number): number {
  if (filter < 4) return [0, left, above, (left + above) >> 1][filter]!;
  const [byLeft, byAbove, byCorner] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs) as [number, number, number];
  if (byLeft <= byAbove && byLeft <= byCorner) return left;
  return byAbove <= byCorner ? above : corner;
}

function countColours(bytes: Buffer): Map<number, number> {
  const counts = new Map<number, number>();
  for (let at = 0; at < bytes.length; at += 3) {
    const colour = bytes.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return counts;
}

/** Selects the palette greedily, by frequency and by distance from the selected colours. */
function choosePalette(counts: ReadonlyMap<number, number>): number[] {
  const open = [...counts].map(([colour, count]) => ({ colour, count, far: Infinity }));
  const palette: number[] = [];
  while (palette.length < Math.min(COLOURS, open.length)) {
    const next = open.reduce((most, one) => (missed(one) > missed(most) ? one : most));
    palette.push(next.colour);
    for (const one of open) one.far = Math.min(one.far, distance(one.colour, next.colour));
  }
  return palette;
}

function missed({ count, far }: { readonly count: number; readonly far: number }): number {
  return count * Math.min(far, 1e6);
}

function distance(one: number, other: number): number {
  return [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
}

function nearestTo(colour: number, palette: readonly number[]): number {
  let nearest = 0;
  for (let at = 1; at < palette.length; at++) {
    if (distance(palette[at]!, colour) < distance(palette[nearest]!, colour)) nearest = at;
  }
  return nearest;
}

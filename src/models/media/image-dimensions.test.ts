import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  gif,
  gifOnScreen,
  jpegBehind,
  png,
  webpExtended,
  webpOnCanvas,
  webpLossless,
  webpLossy,
} from "../../../test/support/upstreams/image-headers.ts";
import { runs } from "../../../test/support/long.ts";
import { dimensionsIn } from "./image-dimensions.ts";

/** Each format, with the longest side that it can encode. */
const FORMATS = {
  PNG: { header: png, longest: 65_535 },
  GIF: { header: gif, longest: 65_535 },
  JPEG: { header: jpegBehind([]), longest: 65_535 },
  "JPEG behind a description and a colour profile": { header: jpegBehind([60_000, 65_000]), longest: 65_535 },
  "lossy WebP": { header: webpLossy, longest: 16_383 },
  "lossless WebP": { header: webpLossless, longest: 16_384 },
  "extended WebP": { header: webpExtended, longest: 65_535 },
};

describe.each(Object.entries(FORMATS))("a %s", (_name, { header, longest }) => {
  const sides = fc.integer({ min: 1, max: longest });

  test("has the size in its header", () => {
    const read = fc.property(sides, sides, (width, height) => {
      const bytes = header(width, height);
      expect(dimensionsIn(bytes, bytes.length)).toEqual({ width, height });
    });
    fc.assert(read, runs(200));
  });

  test("that is truncated anywhere has its size or none", () => {
    const cut = fc.property(sides, sides, fc.nat(), (width, height, at) => {
      const bytes = header(width, height);
      const found = dimensionsIn(bytes.subarray(0, at % bytes.length), bytes.length);
      if (found) expect(found).toEqual({ width, height });
    });
    fc.assert(cut, runs(200));
  });

  test("with any bytes changed is read without an exception", () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
    const changed = fc.property(changes, (list) => {
      const bytes = header(640, 480);
      for (const [at, value] of list) bytes[at % bytes.length] = value;
      const found = dimensionsIn(bytes, bytes.length);
      if (found) for (const side of [found.width, found.height]) expect(side).toBeWithin(1, 65_536);
    });
    fc.assert(changed, runs(300));
  });
});

test("bytes that are not an image have no size", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(dimensionsIn(Buffer.from(bytes), bytes.length)).toBeUndefined();
    }),
    runs(500),
  );
});

test.each([
  ["no width", png(0, 600)],
  ["no height", gif(600, 0)],
  ["a side that no picture has", png(65_536, 600)],
  ["a side that no integer has", png(0xff_ff_ff_ff, 1)],
])("ignores a header that claims %s", (_what, bytes) => {
  expect(dimensionsIn(bytes, bytes.length)).toBeUndefined();
});

const sizeIn = (bytes: Buffer): unknown => dimensionsIn(bytes, bytes.length);
const frame = (side: number): Buffer => jpegBehind([])(side, side).subarray(3);

/** In each file, one header has the dimensions of a small image, but a decoder uses other values, of a large image. */
describe("dimensions that a decoder does not use", () => {
  const LARGE = { width: 8000, height: 8000 };

  test("the logical screen of a GIF is smaller than its image", () => expect(sizeIn(gifOnScreen(1, 1)(8000, 8000))).toEqual(LARGE));

  test("the canvas of a WebP is smaller than its frame", () => expect(sizeIn(webpOnCanvas(1, 1)(8000, 8000))).toEqual(LARGE));

  test.each([0x01, 0xd0, 0xd7])("a JPEG has a marker without a length, %i, whose length would hide the frame", (marker) => {
    const hidden = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, marker]), frame(8000), frame(16)]);
    expect(sizeIn(hidden)).toEqual(LARGE);
  });

  test.each([0x00, 0x02, 0xbf, 0xd8, 0xda, 0xf0])("a JPEG with marker %i before the frame has none", (marker) => {
    expect(sizeIn(Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, marker, 0, 2]), frame(16), Buffer.alloc(20)]))).toBeUndefined();
  });

  test("a PNG whose first chunk has another length has none", () => {
    const bytes = png(16, 16);
    bytes[11] = 14;
    expect(sizeIn(bytes)).toBeUndefined();
  });
});

test("ignores the size of a one-pixel image with a megabyte of data", () => {
  expect(dimensionsIn(png(1, 1), 1024 * 1024)).toBeUndefined();
  expect(dimensionsIn(png(1, 1), 100 * 1024)).toEqual({ width: 1, height: 1 });
  expect(dimensionsIn(png(1024, 768), 1024 * 1024)).toEqual({ width: 1024, height: 768 });
});

import { expect, test } from "bun:test";
import { placeholderFor } from "../../lib/json/omitted-text.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import { mediaInPart } from "./media-in-part.ts";

test("a string of the body counts as a medium once, whatever refers to it", () => {
  const data = Buffer.alloc(3000).toString("base64");
  const body = toByteText(`{"url":"${data}"}`);
  const part = { type: "image_url", image_url: placeholderFor(8, 8 + data.length) };
  const counted = new Set<number>();
  expect(mediaInPart(part, body, counted).bytes).toBe(data.length);
  expect(mediaInPart(part, body, counted)).toMatchObject({ bytes: 0, media: [{ kind: "image" }] });
});

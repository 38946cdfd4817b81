import { expect, test } from "bun:test";
import { readDataUrl } from "./data-url.ts";

test.each([
  ["data:image/png;base64,iVBO", { mediaType: "image/png", base64: "iVBO" }],
  ["DATA:Image/PNG;BASE64,iVBO", { mediaType: "image/png", base64: "iVBO" }],
  ["data:text/plain;charset=utf-8;name=a;base64,SGk=", { mediaType: "text/plain", base64: "SGk=" }],
  ["data:image/png,iVBO", undefined],
  ["data:image/png;base64,", undefined],
  ["data:;base64,iVBO", undefined],
  ["data:png;base64,iVBO", undefined],
  ["https://a.example/b.png", undefined],
  ["", undefined],
])("%j", (url, expected) => {
  expect(readDataUrl(url)).toEqual(expected);
});

test("bounds the search for the end of the header", () => {
  expect(readDataUrl(`data:a/b${";a".repeat(500_000)};base64,iVBO`)).toBeUndefined();
});

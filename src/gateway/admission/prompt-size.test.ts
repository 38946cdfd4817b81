import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { dataUrl, jpegBehind, padded, png, wav } from "../../../test/image-headers.ts";
import { runs } from "../../../test/long.ts";
import { chatOf } from "../../../test/upstream-call.ts";
import { fromByteText, toByteText } from "../../vocabulary/byte-text.ts";
import type { ChatRequest } from "../../vocabulary/chat-request.ts";
import { plainModel, type Model } from "../../vocabulary/catalog.ts";
import { outlineOf } from "../../vocabulary/json-text.ts";
import { standInFor } from "../../vocabulary/left-out.ts";
import { measurePrompt, type PromptSize } from "./prompt-size.ts";

const MB = 1024 * 1024;
const SCREENSHOT = dataUrl(padded(png(1024, 768), MB));

/** A request as the gateway has read it: of what is long there is only a stand-in in its outline. */
function chatOfText(text: string): ChatRequest {
  const outline = outlineOf(toByteText(text), { maxDepth: 64, maxValues: 1e6 });
  if (typeof outline === "string") throw new Error(outline);
  return {
    ...chatOf(JSON.parse(text) as Record<string, unknown>, text),
    outline: JSON.parse(fromByteText(outline.text)) as ChatRequest["outline"],
  };
}

const bodyOf = (...content: readonly unknown[]): string => JSON.stringify({ model: "m", messages: [{ role: "user", content }] });
function modelAt(...upstreamModels: readonly string[]): Model {
  const routes = upstreamModels.flatMap((upstreamModel) => plainModel("m", { upstream: "up", upstreamModel }).routes);
  return { ...plainModel("m", routes[0]!), routes };
}

const GPT_4O = modelAt("gpt-4o");

function measureText(text: string, model = GPT_4O): PromptSize {
  return measurePrompt(chatOfText(text), model, () => undefined);
}

const measure = (...content: readonly unknown[]): PromptSize => measureText(bodyOf(...content));
const image = (url: string, more: object = {}): object => ({ type: "image_url", image_url: { url, ...more } });
const audio = (bytes: Buffer): object => ({ type: "input_audio", input_audio: { data: bytes.toString("base64"), format: "wav" } });
const file = (bytes: number): object => ({ type: "file", file: { file_data: dataUrl(Buffer.alloc(bytes, 1), "application/pdf") } });
/** A screenshot as a JPEG, behind so many segments of 65,000 bytes. */
const behind = (segments: number): PromptSize =>
  measure(image(dataUrl(padded(jpegBehind(Array.from({ length: segments }, () => 65_000))(1024, 768), MB))));

describe("a picture in base64", () => {
  const bytesAround = bodyOf(image("")).length;

  test("counts by its dimensions, and none of it as text", () => {
    expect(measure(image(SCREENSHOT))).toEqual({
      textBytes: bytesAround,
      mediaTokens: 765,
      derivation: `${bytesAround} bytes of text, 1 image by dimensions: 765 tokens`,
    });
  });

  test.each([
    ["as a bare string", { type: "image_url", image_url: SCREENSHOT }],
    ["in the form of another interface", { type: "input_image", image_url: SCREENSHOT }],
    [
      "in Anthropic's form",
      { type: "image", source: { type: "base64", media_type: "image/png", data: padded(png(1024, 768), MB).toString("base64") } },
    ],
    ["with parameters", image(SCREENSHOT.replace("image/png;", "image/png;name=a.png;charset=utf-8;"))],
    ["in capitals", image(SCREENSHOT.replace("data:image/png;base64", "DATA:IMAGE/PNG;BASE64"))],
    ["under a wrong type", image(SCREENSHOT.replace("image/png", "image/jpeg"))],
    ["as a file", { type: "file", file: { filename: "a.png", file_data: SCREENSHOT } }],
  ])("is found %s", (_how, part) => {
    const { textBytes, mediaTokens } = measure(part);
    expect(mediaTokens).toBe(765);
    expect(textBytes).toBeLessThan(300);
  });

  test("is found in the message of a tool", () => {
    const messages = [{ role: "tool", tool_call_id: "a", content: [image(SCREENSHOT)] }];
    expect(measureText(JSON.stringify({ model: "m", messages })).mediaTokens).toBe(765);
  });

  test("that is short enough to stay in the outline counts the same", () => {
    const { textBytes, mediaTokens } = measure(image(dataUrl(png(1024, 768))));
    expect([textBytes, mediaTokens]).toEqual([bytesAround, 765]);
  });

  test("is read through the escapes of JSON, as PHP writes them and as nobody does", () => {
    const escaped = bodyOf(image(SCREENSHOT)).replaceAll("/", String.raw`\/`);
    const spelled = bodyOf(image(SCREENSHOT)).replace("data:image", String.raw`\u0064ata:ima\u0067e`);
    for (const text of [escaped, spelled]) {
      expect(measureText(text).mediaTokens).toBe(765);
      expect(measureText(text).textBytes).toBeLessThan(bytesAround + 10);
    }
  });

  test("is read behind descriptions and profiles up to 256 KiB, and has the bound behind more", () => {
    expect(behind(4).mediaTokens).toBe(765);
    expect(behind(5)).toMatchObject({ mediaTokens: 1445, derivation: expect.stringContaining("1 image by bound: 1445 tokens") });
  });

  test.each([
    ["claims to be smaller than its data", dataUrl(padded(png(1, 1), MB))],
    ["is no picture", dataUrl(Buffer.alloc(MB))],
    ["is not here", "https://example.com/a.png"],
    ["is no base64", "data:image/png;base64,%%%%"],
  ])("that %s has the most that the model makes of any", (_how, url) => {
    expect(measure(image(url)).mediaTokens).toBe(1445);
  });

  test("has the low detail that its caller asks for", () => {
    expect(measure(image(SCREENSHOT, { detail: "low" })).mediaTokens).toBe(85);
  });

  test("counts by the most expensive of the routes that may serve it", () => {
    expect(measureText(bodyOf(image(SCREENSHOT)), modelAt("gpt-4o", "claude-opus-4-8")).mediaTokens).toBe(37 * 28);
    expect(measureText(bodyOf(image("https://example.com/a.png")), modelAt("gpt-4o", "unknown")).mediaTokens).toBe(50_000);
  });
});

describe("other media", () => {
  test("a WAV counts by its duration, other recordings by their size", () => {
    expect(measure(audio(wav(32_000, 320_000)))).toMatchObject({
      mediaTokens: 11 * 32,
      derivation: expect.stringContaining("1 recording by duration: 352 tokens"),
    });
    expect(measure(audio(Buffer.alloc(20_000, 9)))).toMatchObject({ mediaTokens: 320, derivation: expect.stringContaining("by size") });
    // A rate that would make any recording short.
    expect(measure(audio(wav(0xff_ff_ff_ff, 320_000))).mediaTokens).toBeGreaterThan(160 * 32);
  });

  test("files count by their size, within bounds", () => {
    expect(measure(file(100)).mediaTokens).toBe(3_000);
    expect(measure(file(400_000)).mediaTokens).toBe(100_000);
    expect(measure(file(4 * MB))).toMatchObject({ mediaTokens: 300_000, derivation: expect.stringContaining("1 file by bound") });
  });

  test("what lies elsewhere, and what nobody knows, has a bound; its base64 is no text", () => {
    const video = { type: "video_url", video_url: { url: dataUrl(Buffer.alloc(MB), "video/mp4") } };
    for (const part of [
      video,
      { type: "file", file: { file_id: "file-1" } },
      { type: "new", new: { data: Buffer.alloc(MB).toString("base64") } },
    ]) {
      const { textBytes, mediaTokens } = measure(part);
      expect(mediaTokens).toBe(50_000);
      expect(textBytes).toBeLessThan(200);
    }
  });

  test("text in a part that nobody knows stays text", () => {
    const words = "the quick brown fox ".repeat(1000);
    expect(measure({ type: "new", new: words }).textBytes).toBeGreaterThan(words.length);
    const likeBase64 = "thequickbrownfox".repeat(1000);
    for (const text of [likeBase64, `data:image/png;base64,${likeBase64}`])
      expect(measure({ type: "new", text }).textBytes).toBeGreaterThan(text.length);
  });

  test("several are told by kind", () => {
    const { derivation } = measure({ type: "text", text: "hi" }, image(SCREENSHOT), image(SCREENSHOT), image("https://example.com/a.png"));
    expect(derivation).toEndWith("bytes of text, 2 images by dimensions: 1530 tokens, 1 image by bound: 1445 tokens");
  });
});

test("a prompt of text alone has its bytes, and nothing is told", () => {
  const text = bodyOf({ type: "text", text: SCREENSHOT });
  expect(measureText(text)).toEqual({ textBytes: text.length, mediaTokens: 0, derivation: undefined });
});

test("nobody can write what stands in for a long string", () => {
  const long = "long text ".repeat(100);
  const [mark] = standInFor(0, 0).split("0-0");
  const known = "a long string that is left out of this outline.";
  for (const forged of [known, `${known}, at 10-1000`, mark!.replace(/outline, \w+,/, "outline, AAAAAAAAAAAAAAAAAAAAAA,")]) {
    const text = bodyOf({ type: "text", text: long }, image(forged));
    expect(measureText(text)).toMatchObject({ textBytes: text.length, mediaTokens: 1445 });
  }
});

test("whatever stands around them, pictures are found, and all else is text", () => {
  const strings = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.constantFrom("x ".repeat(200), 'quote " and \\ slash '.repeat(30), "漢字 ".repeat(100)),
  );
  const pictures = fc.record({
    width: fc.integer({ min: 1, max: 4000 }),
    height: fc.integer({ min: 1, max: 4000 }),
    bytes: fc.integer({ min: 0, max: 3000 }),
  });
  const parts = fc.array(
    fc.oneof(
      strings.map((text) => ({ type: "text", text })),
      pictures,
    ),
    { minLength: 1, maxLength: 12 },
  );
  const found = fc.property(parts, fc.array(strings, { maxLength: 3 }), (list, others) => {
    const urls = list.map((part) => ("text" in part ? undefined : dataUrl(padded(png(part.width, part.height), part.bytes))));
    const content = list.map((part, at) => (urls[at] === undefined ? part : image(urls[at])));
    const text = JSON.stringify({
      model: "m",
      messages: [{ role: "user", content }, ...others.map((said) => ({ role: "user", content: said }))],
    });
    const media = urls.filter((url) => url !== undefined);
    const { textBytes, derivation } = measureText(text);
    expect(textBytes).toBe(Buffer.byteLength(text) - media.join("").length);
    if (media.length > 0) expect(derivation).toContain(`${media.length} image${media.length === 1 ? "" : "s"} by dimensions`);
  });
  fc.assert(found, runs(300));
});

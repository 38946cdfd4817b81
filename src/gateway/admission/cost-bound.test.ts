import * as fc from "fast-check";
import { expect, test, describe } from "bun:test";
import { models, modelWith, prices } from "../../../test/support/money/hold-arbitraries.ts";
import { runs } from "../../../test/support/long.ts";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import { type Model, plainModel } from "../../models/catalog.ts";
import { FREE, makePrice } from "../../money/price.ts";
import { minimumCost, type MinimumCost, measurePrompt, type PromptSize, fullHold, tokenBoundOf } from "./cost-bound.ts";
import { dataUrl, gif, jpegBehind, mp3, padded, png, riffWave, wav } from "../../../test/support/upstreams/image-headers.ts";
import { fromByteText, toByteText } from "../../lib/text/byte-text.ts";
import type { ModelRequest } from "../formats/caller-format.ts";
import { outlineOf } from "../../lib/json/json-text.ts";
import { placeholderFor } from "../../lib/json/omitted-text.ts";

const ALL = { models: ["*"] };

function leastFor(enoughNanos: bigint, ...found: Model[]): MinimumCost {
  const catalog = new Map(found.map((model, at) => [`m${at}`, { ...model, id: `m${at}` }]));
  return minimumCost(ALL, { id: "a", models: ["m*"] }, enoughNanos, catalog, 1);
}

const priced = (dollarsPerMillion: number, some: Partial<Model> = {}): Model => {
  const picos = BigInt(dollarsPerMillion) * 1_000_000n;
  const rates = { inputPicos: picos, cachedInputPicos: picos, cacheWritePicos: picos, outputPicos: picos, reasoningPicos: picos };
  return { ...modelWith({}), prices: [makePrice({ effectiveAtMs: 0, source: "operator", rates, tiers: [] })], ...some };
};
const cached = (pricePercent: number): Model => priced(2, { cache: { ttlSeconds: 60, pricePercent } });
const free: Model = { ...modelWith({}), prices: [FREE] };

test("no hold is below the minimum cost, whatever the body is", () => {
  const body = fc.record({ n: fc.integer({ min: 1, max: 4 }), max_tokens: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }) });
  const prompt = fc.record({
    textBytes: fc.integer({ min: 1, max: 3_000_000 }),
    mediaTokens: fc.nat(9),
    derivation: fc.constant(undefined),
  });
  const property = fc.property(prompt, body, models, prices, (size, fields, model, price) => {
    const request = tokenBoundOf(chatOf({ messages: [{ role: "user", content: "hi" }], ...fields }), size, model, 1);
    const { amountNanos } = fullHold({ ...request, requestedOutput: request.requestedOutput ?? 1 }, model, price);
    const { paidNanos, canBeFree } = leastFor(0n, { ...model, prices: [price] });
    if (amountNanos === 0n) expect(canBeFree).toBe(true);
    else expect(canBeFree || paidNanos! <= amountNanos).toBe(true);
  });
  fc.assert(property, runs(1000));
});

test("the minimum is the cheapest paid model, and free models are reported separately", () => {
  expect(leastFor(0n, priced(5), priced(2), priced(3))).toEqual({ paidNanos: 4000n, canBeFree: false });
  expect(leastFor(0n, free, priced(2))).toEqual({ paidNanos: 4000n, canBeFree: true });
  expect(leastFor(0n)).toEqual({ paidNanos: undefined, canBeFree: false });
});

test("the minimum of a model with a response cache is the cost of a cached response", () => {
  expect(leastFor(0n, cached(50))).toEqual({ paidNanos: 1000n, canBeFree: false });
  expect(leastFor(0n, cached(0))).toEqual({ paidNanos: undefined, canBeFree: true });
});

test("models that the key or its account may not call are ignored, and the search ends at the first affordable one", () => {
  const catalog = new Map([
    ["a", { ...priced(1), id: "a" }],
    ["b", { ...priced(2), id: "b" }],
    ["c", { ...priced(3), id: "c" }],
  ]);
  expect(minimumCost({ models: ["b", "c"] }, { id: "a", models: ["c", "a"] }, 0n, catalog, 1).paidNanos).toBe(6000n);
  const restricted = new Map([...catalog, ["d", { ...priced(0), id: "d", accounts: new Set(["b"]) }]]);
  const leastOf = (id: string): boolean => minimumCost({ models: ["*"] }, { id, models: ["*"] }, 0n, restricted, 1).canBeFree;
  expect([leastOf("a"), leastOf("b")]).toEqual([false, true]);
  const seen: string[] = [];
  const watched = { id: "a", models: ["*"] };
  const counting = new Map(
    [...catalog].map(([id, model]) => [id, Object.defineProperty({ ...model }, "prices", { get: () => (seen.push(id), model.prices) })]),
  );
  expect(minimumCost(watched, watched, 10n ** 9n, counting, 1).paidNanos).toBe(2000n);
  expect(new Set(seen)).toEqual(new Set(["a"]));
});

describe("prompt size", () => {
  const MB = 1024 * 1024;
  const SCREENSHOT = dataUrl(padded(png(1024, 768), MB));

  /** A request as the gateway reads it: its outline has placeholders for long strings. */
  function chatOfText(text: string): ModelRequest {
    const outline = outlineOf(toByteText(text), { maxDepth: 64, maxValues: 1e6 });
    if (typeof outline === "string") throw new Error(outline);
    return {
      ...chatOf(JSON.parse(text) as Record<string, unknown>, text),
      outline: JSON.parse(fromByteText(outline.text)) as ModelRequest["outline"],
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
  const file = (bytes: Buffer, type: string): object => ({ type: "file", file: { file_data: dataUrl(bytes, type) } });
  const prose = (bytes: number): Buffer => Buffer.alloc(bytes, "the quick brown fox ");
  /** A screenshot as a JPEG, after this many segments of 65,000 bytes. */
  const behind = (segments: number): PromptSize =>
    measure(image(dataUrl(padded(jpegBehind(Array.from({ length: segments }, () => 65_000))(1024, 768), MB))));

  describe("an image in base64", () => {
    const bytesAround = bodyOf(image("")).length;

    test("counts by its dimensions, and not as text", () => {
      expect(measure(image(SCREENSHOT))).toEqual({
        textBytes: bytesAround,
        mediaTokens: 765,
        derivation: `${bytesAround} bytes of text, 1 image by dimensions: 765 tokens`,
      });
    });

    test.each([
      ["as a bare string", { type: "image_url", image_url: SCREENSHOT }],
      ["in the format of the Responses API", { type: "input_image", image_url: SCREENSHOT }],
      [
        "in Anthropic's format",
        { type: "image", source: { type: "base64", media_type: "image/png", data: padded(png(1024, 768), MB).toString("base64") } },
      ],
      ["with parameters", image(SCREENSHOT.replace("image/png;", "image/png;name=a.png;charset=utf-8;"))],
      ["in capitals", image(SCREENSHOT.replace("data:image/png;base64", "DATA:IMAGE/PNG;BASE64"))],
      ["under a wrong type", image(SCREENSHOT.replace("image/png", "image/jpeg"))],
      ["with line breaks", image(SCREENSHOT.replaceAll(/.{76}/g, "$&\r\n"))],
      ["in a text part, where vLLM looks for it", { type: "text", text: "hi", uuid: "a", image_url: { url: SCREENSHOT } }],
    ])("is found %s", (_how, part) => {
      const { textBytes, mediaTokens } = measure(part);
      expect(mediaTokens).toBe(765);
      expect(textBytes).toBeLessThan(300);
    });

    test("is found in the message of a tool", () => {
      const messages = [{ role: "tool", tool_call_id: "a", content: [image(SCREENSHOT)] }];
      expect(measureText(JSON.stringify({ model: "m", messages })).mediaTokens).toBe(765);
    });

    test("that is short enough for the outline counts the same", () => {
      const { textBytes, mediaTokens } = measure(image(dataUrl(png(1024, 768))));
      expect([textBytes, mediaTokens]).toEqual([bytesAround, 765]);
    });

    test("is read through JSON escapes, including PHP's and unusual ones", () => {
      const escaped = bodyOf(image(SCREENSHOT)).replaceAll("/", String.raw`\/`);
      const spelled = bodyOf(image(SCREENSHOT)).replace("data:image", String.raw`\u0064ata:ima\u0067e`);
      for (const text of [escaped, spelled]) {
        expect(measureText(text).mediaTokens).toBe(765);
        expect(measureText(text).textBytes).toBeLessThan(bytesAround + 10);
      }
    });

    test("is read behind up to 256 KiB of metadata, and counts by the bound behind more", () => {
      expect(behind(4).mediaTokens).toBe(765);
      expect(behind(5)).toMatchObject({ mediaTokens: 1445, derivation: expect.stringContaining("1 image by bound: 1445 tokens") });
    });

    test.each([
      ["claims to be smaller than its data", dataUrl(padded(png(1, 1), MB))],
      ["is not an image", dataUrl(Buffer.alloc(MB))],
      ["is at a URL", "https://example.com/a.png"],
      ["is not base64", "data:image/png;base64,%%%%"],
    ])("that %s counts as the largest image of the model", (_how, url) => {
      expect(measure(image(url)).mediaTokens).toBe(1445);
    });

    test("counts by the low detail that the client requests", () => {
      expect(measure(image(SCREENSHOT, { detail: "low" })).mediaTokens).toBe(85);
    });

    test("counts by the most expensive of the routes", () => {
      expect(measureText(bodyOf(image(SCREENSHOT)), modelAt("gpt-4o", "claude-opus-4-8")).mediaTokens).toBe(37 * 28);
      expect(measureText(bodyOf(image("https://example.com/a.png")), modelAt("gpt-4o", "unknown")).mediaTokens).toBe(50_000);
    });
  });

  describe("other media", () => {
    test("a WAV counts by its duration", () => {
      expect(measure(audio(wav(32_000, 320_000)))).toMatchObject({
        mediaTokens: 11 * 32,
        derivation: expect.stringContaining("1 recording by duration: 352 tokens"),
      });
    });

    const FORMAT_IN_A_LIST = Buffer.concat([
      Buffer.from("LIST"),
      Buffer.from([24, 0, 0, 0]),
      wav(768_000, 0).subarray(12, 36),
      wav(32_000, 320_000).subarray(12),
    ]);

    test.each([
      ["more bytes a second than its samples have", wav(32_000, 320_000, { byteRate: 1_000_000 })],
      ["larger samples than there are", wav(32_000, 320_000, { byteRate: 1_000_000, blockAlign: 60 })],
      ["another format in an earlier chunk", riffWave(FORMAT_IN_A_LIST)],
    ])("a WAV whose header claims %s counts by its samples", (_what, bytes) => {
      expect(measure(audio(bytes)).mediaTokens).toBe(11 * 32);
    });

    test("an MP3 counts by its size, at the lowest bit rate", () => {
      const tagged = Buffer.concat([Buffer.from("ID3\u0004\0\0\0\0\u0001\u0002"), Buffer.alloc(130), mp3(19_860)]);
      for (const bytes of [mp3(20_000), tagged])
        expect(measure(audio(bytes))).toMatchObject({ mediaTokens: 640, derivation: expect.stringContaining("by size") });
    });

    test.each([
      ["FLAC, in which silence takes no bytes", Buffer.from("fLaC".padEnd(5000, "\0"))],
      ["FLAC behind a tag", Buffer.from("ID3\u0004\0\0\0\0\0\0fLaC".padEnd(5000, "\0"))],
      ["an MP3 of a free bit rate", mp3(5000, 0)],
      ["a WAV with compressed samples", wav(32_000, 5000, { code: 0x11 })],
      ["a WAV of a rate that no recording has", wav(0xff_ff_ff_fe, 5000)],
    ])("%s has the bound of a recording", (_what, bytes) => {
      expect(measure(audio(bytes))).toMatchObject({ mediaTokens: 50_000, derivation: expect.stringContaining("1 recording by bound") });
    });

    test("a long recording counts by its size, above the bound", () => {
      expect(measure(audio(Buffer.alloc(4 * MB, 9))).mediaTokens).toBe(4195 * 32);
    });

    test.each(["text/plain", "text/csv", "application/json", "application/ld+json"])(
      "a file of type %s has a token for each byte",
      (type) => {
        for (const bytes of [100, 2 * MB])
          expect(measure(file(prose(bytes), type))).toMatchObject({
            mediaTokens: bytes,
            derivation: expect.stringContaining("1 file by size"),
          });
      },
    );

    test.each([
      ["a PDF", file(padded(Buffer.from("%PDF-1.4"), 5600), "application/pdf")],
      ["a PDF that is declared as text", file(Buffer.from("%PDF-1.4\nhello"), "text/plain")],
      ["an archive that is declared as text", file(Buffer.from("PK\u0003\u0004"), "text/plain")],
      ["a file of an undeclared type", { type: "file", file: { file_data: prose(99).toString("base64") } }],
      ["a file that starts like a small image", file(Buffer.concat([gif(1, 1), prose(250_000)]), "text/plain")],
      ["a file that is declared as an image", file(png(16, 16), "image/png")],
      ["a file by id", { type: "file", file: { file_id: "file-1" } }],
      ["a file by id, in the format of the Responses API", { type: "input_file", file_id: "file-1" }],
    ])("%s has the bound of a file", (_what, part) => {
      const { textBytes, mediaTokens, derivation } = measure(part);
      expect([mediaTokens, derivation]).toEqual([300_000, expect.stringContaining("1 file by bound")]);
      expect(textBytes).toBeLessThan(200);
    });

    test("text instead of an image counts as a file, because Gemini reads it as one", () => {
      expect(measure(image(dataUrl(prose(250_000), "text/plain"))).mediaTokens).toBe(250_000);
    });

    test("media at a URL and unknown kinds of parts have a bound", () => {
      const video = { type: "video_url", video_url: { url: dataUrl(Buffer.alloc(MB), "video/mp4") } };
      const recording = { type: "audio_url", audio_url: { url: "https://example.com/a.ogg" } };
      for (const part of [
        video,
        recording,
        { type: "new", new: { id: "1" } },
        { type: "text", text: "hi", video: "https://example.com/a.mp4" },
      ]) {
        const { textBytes, mediaTokens } = measure(part);
        expect(mediaTokens).toBe(50_000);
        expect(textBytes).toBeLessThan(200);
      }
    });

    test("a file with both its bytes and an id counts as both", () => {
      const part = { type: "file", file: { file_id: "a", file_data: dataUrl(prose(100), "text/plain") } };
      expect(measure(part).mediaTokens).toBe(300_100);
    });

    test("a string that is not base64 counts as text, in a media field too", () => {
      const words = "the quick brown fox ".repeat(1000);
      for (const part of [
        image(`data:image/png;base64,${words}`),
        file(Buffer.alloc(0), `text/plain,${words}`),
        { type: "input_audio", input_audio: { data: words } },
        { type: "document", source: { type: "text", media_type: "text/plain", data: "thequickbrownfox".repeat(1000) } },
      ])
        expect(measure(part).textBytes).toBeGreaterThan(16_000);
    });
  });

  describe("text in a part of another kind", () => {
    const LIKE_BASE64 = "thequickbrownfox".repeat(1000);
    const LIKE_MEDIA = [LIKE_BASE64, `data:image/png;base64,${LIKE_BASE64}`, SCREENSHOT];

    test("counts as text, whatever it looks like", () => {
      for (const text of LIKE_MEDIA)
        for (const part of [
          { type: "new", text },
          { type: "new", new: text },
          { type: "new", new: { data: text } },
          { type: "thinking", thinking: text },
          { type: "thinking", thinking: [{ type: "text", text }] },
          { type: "tool_result", content: [{ type: "text", text }] },
        ])
          expect(measure(part).textBytes).toBe(bodyOf(part).length);
    });

    test.each([
      { type: "input_text", text: "hi" },
      { type: "output_text", text: "hi", annotations: [] },
      { type: "new", text: "hi" },
      { type: "thinking", thinking: "hm", signature: "c2ln" },
      { type: "thinking", thinking: [{ type: "text", text: "hm" }], closed: true },
      { type: "text", text: "hi", cache_control: { type: "ephemeral" }, image_url: null },
    ])("has no media: %j", (part) => {
      expect(measure(part)).toEqual({ textBytes: bodyOf(part).length, mediaTokens: 0, derivation: undefined });
    });

    test("does not hide a medium beside it or in it", () => {
      for (const part of [
        { type: "text", text: "hi", video_url: "https://example.com/a.mp4" },
        { type: "text", text: "hi", uuid: "cached", video_url: null },
        { type: "thinking", thinking: [{ type: "video_url", video_url: "https://example.com/a.mp4" }] },
        { type: "new", text: "hi", clip: "https://example.com/a.mp4" },
      ])
        expect(measure(part).mediaTokens).toBe(50_000);
    });
  });

  describe("the derivation", () => {
    test("lists several media by kind", () => {
      const { derivation } = measure(
        { type: "text", text: "hi" },
        image(SCREENSHOT),
        image(SCREENSHOT),
        image("https://example.com/a.png"),
      );
      expect(derivation).toEndWith("bytes of text, 2 images by dimensions: 1530 tokens, 1 image by bound: 1445 tokens");
    });
  });

  test("a prompt without media counts by its bytes, and has no derivation", () => {
    const text = bodyOf({ type: "text", text: SCREENSHOT });
    expect(measureText(text)).toEqual({ textBytes: text.length, mediaTokens: 0, derivation: undefined });
  });

  test("a client cannot forge the placeholder of a long string", () => {
    const start = bodyOf({ type: "text", text: SCREENSHOT }).indexOf(SCREENSHOT);
    const forged = placeholderFor(start, start + SCREENSHOT.length).replace(/[a-q]{32}/, "a".repeat(32));
    const text = bodyOf({ type: "text", text: SCREENSHOT }, image(forged));
    expect(measureText(text)).toMatchObject({ textBytes: text.length, mediaTokens: 1445 });
  });

  test("finds images among any other content, which counts as text", () => {
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
        messages: [{ role: "user", content }, ...others.map((other) => ({ role: "user", content: other }))],
      });
      const media = urls.filter((url) => url !== undefined);
      const { textBytes, derivation } = measureText(text);
      expect(textBytes).toBe(Buffer.byteLength(text) - media.join("").length);
      if (media.length > 0) expect(derivation).toContain(`${media.length} image${media.length === 1 ? "" : "s"} by dimensions`);
    });
    fc.assert(found, runs(300));
  });
});

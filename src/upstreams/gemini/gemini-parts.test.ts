import { describe, expect, test } from "bun:test";
import { refusalOf } from "../../../test/dialects/gemini-call.ts";
import { toParts } from "./gemini-parts.ts";

const image = (url: unknown): object => ({ type: "image_url", image_url: { url, detail: "low" } });
const file = (fields: object): object => ({ type: "file", file: fields });
const audio = (format: string, data = "AAAA"): object => ({ type: "input_audio", input_audio: { data, format } });

describe("a part becomes", () => {
  const TAKEN: [object, object][] = [
    [{ type: "text", text: "Hello!" }, { text: "Hello!" }],
    [image("data:image/png;base64,iVBO"), { inlineData: { mimeType: "image/png", data: "iVBO" } }],
    [image("data:image/png;name=a;base64,iVBO"), { inlineData: { mimeType: "image/png", data: "iVBO" } }],
    [{ type: "image_url", image_url: "data:image/gif;base64,R0lG" }, { inlineData: { mimeType: "image/gif", data: "R0lG" } }],
    [image("https://x.test/a/b.JPG?size=9"), { fileData: { fileUri: "https://x.test/a/b.JPG?size=9", mimeType: "image/jpeg" } }],
    [image("https://x.test/picture"), { fileData: { fileUri: "https://x.test/picture" } }],
    [image("https://storage.googleapis.com/b/a"), { fileData: { fileUri: "https://storage.googleapis.com/b/a" } }],
    [image("https://notgoogleapis.com/files/a"), { fileData: { fileUri: "https://notgoogleapis.com/files/a" } }],
    [image("HTTPS:\\\\x.test\\a"), { fileData: { fileUri: "https://x.test/a" } }],
    [
      file({ file_data: "data:application/pdf;base64,JVBE", filename: "a.pdf" }),
      { inlineData: { mimeType: "application/pdf", data: "JVBE" } },
    ],
    [file({ file_data: "JVBE", filename: "a.pdf" }), { inlineData: { mimeType: "application/pdf", data: "JVBE" } }],
    [file({ file_data: "JVBE", filename: "a.pdf", file_id: "" }), { inlineData: { mimeType: "application/pdf", data: "JVBE" } }],
    [audio("wav"), { inlineData: { mimeType: "audio/wav", data: "AAAA" } }],
    [audio("mp3"), { inlineData: { mimeType: "audio/mp3", data: "AAAA" } }],
  ];
  test.each(TAKEN)("%j", (part, expected) => expect(toParts([part], ["messages", 0, "content"])).toEqual([expected]));

  test("text, where the content is text", () => {
    expect(toParts("Hello!", ["messages", 0, "content"])).toEqual([{ text: "Hello!" }]);
    expect(toParts("", ["messages", 0, "content"])).toEqual([]);
  });
});

describe("an unsupported part is rejected with its path", () => {
  const at = "messages[3].content[1]";
  const REFUSED: [object, string, string][] = [
    [{ type: "video_url", video_url: {} }, "unsupported_parameter", at],
    [{ type: "input_audio" }, "unsupported_parameter", at],
    [audio("flac"), "unsupported_parameter", at],
    [audio("constructor"), "unsupported_parameter", at],
    [audio("wav", ""), "invalid_value", `${at}.input_audio.data`],
    // URLs that Google would read with the operator's credential.
    [image("gs://bucket/a.webp"), "unsupported_parameter", `${at}.image_url.url`],
    [image("GS://bucket/a.webp"), "unsupported_parameter", `${at}.image_url.url`],
    [image("https://generativelanguage.googleapis.com/v1beta/files/a"), "unsupported_parameter", `${at}.image_url.url`],
    [image("https://u@GENERATIVELANGUAGE.googleapis.com.:443/v1beta/files/a"), "unsupported_parameter", `${at}.image_url.url`],
    [file({ file_data: "gs://bucket/a" }), "invalid_value", `${at}.file.filename`],
    [file({ file_id: "files/abc" }), "unsupported_parameter", `${at}.file.file_id`],
    [file({ file_id: "https://x.test/a.pdf", file_data: "JVBE", filename: "a.pdf" }), "unsupported_parameter", `${at}.file.file_id`],
    [image("http://x.test/a.png"), "invalid_value", `${at}.image_url.url`],
    [image("file:///etc/passwd"), "invalid_value", `${at}.image_url.url`],
    [image("no address"), "invalid_value", `${at}.image_url.url`],
    [image(undefined), "invalid_value", `${at}.image_url.url`],
    [image("data:image/svg+xml,<svg/>"), "invalid_value", `${at}.image_url.url`],
    [image("data:;base64,AAAA"), "invalid_value", `${at}.image_url.url`],
    [image("data:image/png;base64,"), "invalid_value", `${at}.image_url.url`],
    [file({ file_data: "JVBE" }), "invalid_value", `${at}.file.filename`],
    [file({ file_data: "JVBE", filename: "a.constructor" }), "invalid_value", `${at}.file.filename`],
    [file({}), "invalid_value", `${at}.file.file_data`],
  ];
  test.each(REFUSED)("%j", (part, code, param) => {
    expect(refusalOf(() => toParts([{ type: "text", text: "a" }, part], ["messages", 3, "content"]))).toEqual([code, param]);
  });
});

import { describe, expect, test } from "bun:test";
import { toConversation } from "./anthropic-turns.ts";

type Message = Record<string, unknown>;

const text = (words: string): { type: string; text: string } => ({ type: "text", text: words });
const user = (content: unknown): Message => ({ role: "user", content });
const assistant = (content: unknown, more: Message = {}): Message => ({ role: "assistant", content, ...more });
const turnsOf = (...messages: Message[]): unknown => toConversation(messages).turns;

const blockOf = (part: object): unknown => toConversation([user([part])]).turns[0]!.content[0];
const image = (url: unknown): object => ({ type: "image_url", image_url: url });
const file = (fields: object): object => ({ type: "file", file: fields });

describe("system messages", () => {
  test("of both roles go to the system field, with their cache breakpoints", () => {
    const cached = { type: "text", text: "two", cache_control: { type: "ephemeral" } };
    const { system, turns } = toConversation([{ role: "system", content: "one" }, { role: "developer", content: [cached] }, user("Hi")]);
    expect(system).toEqual([text("one"), cached]);
    expect(turns).toEqual([{ role: "user", content: [text("Hi")] }]);
  });

  test("from the middle of a conversation also go to the system field", () => {
    const { system, turns } = toConversation([user("a"), assistant("b"), { role: "system", content: "late" }, user("c")]);
    expect(system).toEqual([text("late")]);
    expect(turns.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("cannot contain images", () => {
    const system = { role: "system", content: [text("a"), { type: "image_url", image_url: { url: "https://a.example/b.png" } }] };
    expect(() => toConversation([system])).toThrow(
      expect.objectContaining({ code: "unsupported_parameter", param: "messages[0].content[1]" }),
    );
  });
});

describe("turns", () => {
  test("of one role in a row are merged", () => {
    expect(turnsOf(user("a"), user("b"), assistant("c"), assistant("d"), user("e"))).toEqual([
      { role: "user", content: [text("a"), text("b")] },
      { role: "assistant", content: [text("c"), text("d")] },
      { role: "user", content: [text("e")] },
    ]);
  });

  test("omit blank text and messages that are then empty", () => {
    expect(turnsOf(user([text(""), text("a"), text(" \n")]), assistant(""), user("b"))).toEqual([
      { role: "user", content: [text("a"), text("b")] },
    ]);
  });

  test("start with a user turn, also where the assistant started the conversation", () => {
    const opening = { role: "user", content: [text("Begin.")] };
    expect(turnsOf(assistant("Welcome!"), user("a"))).toEqual([
      opening,
      { role: "assistant", content: [text("Welcome!")] },
      { role: "user", content: [text("a")] },
    ]);
    expect(turnsOf({ role: "system", content: "Greet them." })).toEqual([opening]);
    expect(turnsOf(user(""))).toEqual([opening]);
  });

  test("of a prefill end without whitespace", () => {
    expect(turnsOf(user("a"), assistant("The answer is \n"))).toContainEqual({ role: "assistant", content: [text("The answer is")] });
    expect(turnsOf(user("a"), assistant("b "), user("c"))).toContainEqual({ role: "assistant", content: [text("b ")] });
  });

  test("keep a refusal as text, from the message or from a part", () => {
    expect(turnsOf(user("a"), assistant([{ type: "refusal", refusal: "No." }]), user("b"))).toContainEqual({
      role: "assistant",
      content: [text("No.")],
    });
    expect(turnsOf(user("a"), assistant(null, { refusal: "Never." }), user("b"))).toContainEqual({
      role: "assistant",
      content: [text("Never.")],
    });
  });

  test("keep the cache breakpoints of parts and of messages", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    expect(turnsOf(user([{ ...text("a"), ...mark }, text("b")]), { ...assistant("c"), ...mark }, user("d"))).toEqual([
      { role: "user", content: [{ ...text("a"), ...mark }, text("b")] },
      { role: "assistant", content: [{ ...text("c"), ...mark }] },
      { role: "user", content: [text("d")] },
    ]);
  });

  test("cannot contain audio, neither input nor an earlier response", () => {
    const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    expect(() => turnsOf(user([sound]))).toThrow(
      expect.objectContaining({ code: "unsupported_parameter", param: "messages[0].content[0]" }),
    );
    expect(() => turnsOf(assistant(null, { audio: { id: "a" } }))).toThrow(expect.objectContaining({ param: "messages[0].audio" }));
  });
});

describe("images and files", () => {
  test.each([
    [image({ url: "https://a.example/b.png", detail: "high" }), { type: "url", url: "https://a.example/b.png" }],
    [image("https://a.example/b.png"), { type: "url", url: "https://a.example/b.png" }],
    [image({ url: "data:image/png;base64,AAAA" }), { type: "base64", media_type: "image/png", data: "AAAA" }],
    [image({ url: "data:image/jpg;charset=x;base64,AAAA" }), { type: "base64", media_type: "image/jpeg", data: "AAAA" }],
  ])("the image %j", (part, source) => {
    expect(blockOf(part)).toEqual({ type: "image", source });
  });

  const hello = Buffer.from("Hello!").toString("base64");
  test.each([
    [
      file({ file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" }),
      { type: "base64", media_type: "application/pdf", data: "AAAA" },
    ],
    [file({ file_data: `data:text/plain;base64,${hello}`, filename: "a.pdf" }), { type: "text", media_type: "text/plain", data: "Hello!" }],
    [file({ file_data: "https://a.example/b.pdf", filename: "a.pdf" }), { type: "url", url: "https://a.example/b.pdf" }],
  ])("the file %j", (part, source) => {
    expect(blockOf(part)).toEqual({ type: "document", source, title: "a.pdf" });
  });

  test("rejects file ids, which belong to the operator's workspace", () => {
    const part = file({ file_id: "file_1", file_data: "data:application/pdf;base64,AAAA", filename: "a.pdf" });
    const refused = expect.objectContaining({ code: "unsupported_parameter", param: "messages[0].content[0].file.file_id" });
    expect(() => blockOf(part)).toThrow(refused);
    expect(() => toConversation([{ role: "tool", tool_call_id: "a", content: [part] }])).toThrow(
      expect.objectContaining({ code: "unsupported_parameter" }),
    );
  });

  test.each([
    [image({ url: "http://a.example/b.png" }), "messages[0].content[0].image_url.url"],
    [image({ url: "data:image/tiff;base64,AAAA" }), "messages[0].content[0].image_url.url"],
    [image({ url: "data:image/png,AAAA" }), "messages[0].content[0].image_url.url"],
    [image({}), "messages[0].content[0].image_url.url"],
    [file({}), "messages[0].content[0].file"],
    [file({ file_data: "AAAA" }), "messages[0].content[0].file.file_data"],
    [file({ file_data: "data:application/zip;base64,AAAA" }), "messages[0].content[0].file.file_data"],
  ])("%j is rejected with its path", (part, param) => {
    expect(() => blockOf(part)).toThrow(expect.objectContaining({ code: "invalid_value", param }));
  });
});

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

describe("instructions", () => {
  test("of system and developer go to the top, with their cache marks", () => {
    const cached = { type: "text", text: "two", cache_control: { type: "ephemeral" } };
    const { system, turns } = toConversation([{ role: "system", content: "one" }, { role: "developer", content: [cached] }, user("Hi")]);
    expect(system).toEqual([text("one"), cached]);
    expect(turns).toEqual([{ role: "user", content: [text("Hi")] }]);
  });

  test("from the middle of a conversation are not lost, and do not become the user's", () => {
    const { system, turns } = toConversation([user("a"), assistant("b"), { role: "system", content: "late" }, user("c")]);
    expect(system).toEqual([text("late")]);
    expect(turns.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("cannot be pictures", () => {
    const system = { role: "system", content: [text("a"), { type: "image_url", image_url: { url: "https://a.example/b.png" } }] };
    expect(() => toConversation([system])).toThrow(
      expect.objectContaining({ code: "unsupported_parameter", param: "messages[0].content[1]" }),
    );
  });
});

describe("turns", () => {
  test("of one side in a row become one", () => {
    expect(turnsOf(user("a"), user("b"), assistant("c"), assistant("d"), user("e"))).toEqual([
      { role: "user", content: [text("a"), text("b")] },
      { role: "assistant", content: [text("c"), text("d")] },
      { role: "user", content: [text("e")] },
    ]);
  });

  test("leave out text without a word in it, and what then is empty", () => {
    expect(turnsOf(user([text(""), text("a"), text(" \n")]), assistant(""), user("b"))).toEqual([
      { role: "user", content: [text("a"), text("b")] },
    ]);
  });

  test("begin with the user, whoever began", () => {
    const opening = { role: "user", content: [text("Begin.")] };
    expect(turnsOf(assistant("Welcome!"), user("a"))).toEqual([
      opening,
      { role: "assistant", content: [text("Welcome!")] },
      { role: "user", content: [text("a")] },
    ]);
    expect(turnsOf({ role: "system", content: "Greet them." })).toEqual([opening]);
    expect(turnsOf(user(""))).toEqual([opening]);
  });

  test("that begin the answer end without space", () => {
    expect(turnsOf(user("a"), assistant("The answer is \n"))).toContainEqual({ role: "assistant", content: [text("The answer is")] });
    expect(turnsOf(user("a"), assistant("b "), user("c"))).toContainEqual({ role: "assistant", content: [text("b ")] });
  });

  test("keep a refusal as text, from either place", () => {
    expect(turnsOf(user("a"), assistant([{ type: "refusal", refusal: "No." }]), user("b"))).toContainEqual({
      role: "assistant",
      content: [text("No.")],
    });
    expect(turnsOf(user("a"), assistant(null, { refusal: "Never." }), user("b"))).toContainEqual({
      role: "assistant",
      content: [text("Never.")],
    });
  });

  test("keep the cache marks of parts and of whole messages", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    expect(turnsOf(user([{ ...text("a"), ...mark }, text("b")]), { ...assistant("c"), ...mark }, user("d"))).toEqual([
      { role: "user", content: [{ ...text("a"), ...mark }, text("b")] },
      { role: "assistant", content: [{ ...text("c"), ...mark }] },
      { role: "user", content: [text("d")] },
    ]);
  });

  test("cannot hold sounds, nor an answer that was one", () => {
    const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
    expect(() => turnsOf(user([sound]))).toThrow(
      expect.objectContaining({ code: "unsupported_parameter", param: "messages[0].content[0]" }),
    );
    expect(() => turnsOf(assistant(null, { audio: { id: "a" } }))).toThrow(expect.objectContaining({ param: "messages[0].audio" }));
  });
});

describe("pictures and files", () => {
  test.each([
    [image({ url: "https://a.example/b.png", detail: "high" }), { type: "url", url: "https://a.example/b.png" }],
    [image("https://a.example/b.png"), { type: "url", url: "https://a.example/b.png" }],
    [image({ url: "data:image/png;base64,AAAA" }), { type: "base64", media_type: "image/png", data: "AAAA" }],
    [image({ url: "data:image/jpg;charset=x;base64,AAAA" }), { type: "base64", media_type: "image/jpeg", data: "AAAA" }],
  ])("the picture %j", (part, source) => {
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

  test("a file of the operator's workspace is not a caller's to read", () => {
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
  ])("%j is refused, and named", (part, param) => {
    expect(() => blockOf(part)).toThrow(expect.objectContaining({ code: "invalid_value", param }));
  });
});

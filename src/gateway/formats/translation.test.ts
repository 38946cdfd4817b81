import { test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { translatedBody } from "../../../test/support/translated-body.ts";
import { parseJson } from "../../http/read-json.ts";
import { MessagesTranslation } from "./messages/messages-to-chat.ts";
import { ResponseTools } from "./responses/response-tools.ts";
import { ResponsesTranslation } from "./responses/responses-to-chat.ts";
import { TranslatedRequest } from "./translation.ts";

type Json = Readonly<Record<string, unknown>>;

/** Texts around the length from which they are omitted from outlines, with all that JSON escapes. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  fc
    .tuple(
      fc.constantFrom("plain ", 'say "hi"\\n', "C:\\dir\\", "漢字\n", "\u0001\u2028", "\ud83d\ude00é/"),
      fc.integer({ min: 20, max: 300 }),
    )
    .map(([piece, times]) => piece.repeat(times)),
);
const name = fc.oneof(fc.constantFrom("run", "read", "n".repeat(63), "x".repeat(100)), fc.constant("long ".repeat(80)));
const id = fc.oneof(fc.constantFrom("a", "b", "c"), fc.constant("id".repeat(200)));
const args = fc.dictionary(
  fc.string({ maxLength: 5 }),
  fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.array(text, { maxLength: 2 })),
);

/** The same JSON with some characters written as escapes. */
function spelledWithEscapes(json: string): string {
  return json.replaceAll(/[p/漢]/g, (char) => (char === "/" ? String.raw`\/` : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

function translates(body: Json, isEscaped: boolean, translate: (source: ReturnType<typeof parseJson>) => TranslatedRequest): void {
  const json = JSON.stringify(body);
  translatedBody(translate(parseJson(Buffer.from(isEscaped ? spelledWithEscapes(json) : json))));
}

const block = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constant("tool_use"), id, name, input: args }),
  fc.record({ type: fc.constant("thinking"), thinking: text, signature: text }),
);
const userBlock = fc.oneof(
  fc.record({ type: fc.constant("text"), text }),
  fc.record({ type: fc.constant("tool_result"), tool_use_id: id, content: text, is_error: fc.boolean() }),
  fc.record({
    type: fc.constant("image"),
    source: fc.record({ type: fc.constant("base64"), media_type: fc.constant("image/png"), data: text }),
  }),
  fc.record({ type: fc.constant("document"), title: text, source: fc.record({ type: fc.constant("text"), data: text }) }),
);

const messagesBody = fc.record({
  model: fc.constant("m"),
  max_tokens: fc.constant(10),
  system: fc.oneof(text, fc.array(fc.record({ type: fc.constant("text"), text }), { maxLength: 2 })),
  tools: fc.array(fc.record({ name, description: text, input_schema: fc.record({ type: fc.constant("object"), description: text }) })),
  messages: fc.array(
    fc.oneof(
      fc.record({ role: fc.constant("assistant"), content: fc.oneof(text, fc.array(block, { minLength: 1, maxLength: 3 })) }),
      fc.record({ role: fc.constant("user"), content: fc.oneof(text, fc.array(userBlock, { minLength: 1, maxLength: 3 })) }),
      fc.record({
        role: fc.constant("system"),
        content: fc.array(
          fc.record({
            type: fc.constantFrom("tool_removal", "tool_addition"),
            tool: fc.oneof(fc.record({ name }), fc.record({ definition: fc.record({ name, description: text }) })),
          }),
          {
            maxLength: 2,
          },
        ),
      }),
    ),
    { minLength: 1, maxLength: 5 },
  ),
});

test("the text of a translated Messages request says what its translation says", () => {
  const same = fc.property(messagesBody, fc.boolean(), (body, isEscaped) => {
    translates(body, isEscaped, (source) => new TranslatedRequest(source, new MessagesTranslation(false, source.byteText)));
  });
  fc.assert(same, runs(300, 20_000));
});

const result = fc.oneof(text, fc.array(fc.record({ type: fc.constant("input_text"), text }), { maxLength: 2 }), args);

/** Calls, some with their results, and messages between them. */
const items = fc
  .array(
    fc.oneof(
      fc.record({ type: fc.constant("message"), role: fc.constantFrom("user", "assistant", "developer"), content: text }),
      fc.record({
        type: fc.constant("function_call"),
        name,
        namespace: fc.option(name, { nil: undefined }),
        arguments: fc.oneof(args, fc.constant("blank")),
        output: result,
      }),
      fc.record({ type: fc.constant("custom_tool_call"), name, input: text, output: result }),
      fc.record({ type: fc.constant("reasoning"), encrypted_content: text }),
    ),
    { maxLength: 5 },
  )
  .chain((list) => fc.tuple(fc.constant(list), fc.array(id, { minLength: list.length, maxLength: list.length })))
  .map(([list, ids]) =>
    list.flatMap((item, at): Json[] => {
      if (!("output" in item)) return [item];
      const { output, ...call } = item;
      const own = `${ids[at]}${at}`;
      const spelled =
        "arguments" in call ? { arguments: call.arguments === "blank" ? " \n\u00a0".repeat(100) : JSON.stringify(call.arguments) } : {};
      const written = { ...call, ...spelled };
      return [
        { ...written, call_id: own },
        { type: `${call.type}_output`, call_id: own, output },
      ];
    }),
  );

const responsesBody = fc.record({
  model: fc.constant("m"),
  instructions: text,
  tool_choice: fc.option(fc.record({ type: fc.constant("function"), name }), { nil: undefined }),
  tools: fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("function"), name, description: text, parameters: fc.record({ description: text }) }),
      fc.record({
        type: fc.constant("custom"),
        name,
        description: text,
        format: fc.record({ type: fc.constant("grammar"), syntax: fc.constant("lark"), definition: text }),
      }),
      fc.record({
        type: fc.constant("namespace"),
        name,
        tools: fc.array(fc.record({ type: fc.constant("function"), name }), { maxLength: 2 }),
      }),
    ),
    { maxLength: 4 },
  ),
  input: items,
});

test("the text of a translated Responses request says what its translation says", () => {
  const same = fc.property(responsesBody, fc.boolean(), (body, isEscaped) => {
    translates(
      body,
      isEscaped,
      (source) => new TranslatedRequest(source, new ResponsesTranslation(new ResponseTools(), false, source.byteText)),
    );
  });
  fc.assert(same, runs(300, 20_000));
});

import { chunk, completion, events, rawEvents, usageChunk, type Script } from "./mock-upstream.ts";

/** An upstream that recognizes the doctor's requests. */

export const CALL = { id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } };

export const callPiece = (args: string): object => ({
  tool_calls: [{ index: 0, ...CALL, function: { name: "get_weather", arguments: args } }],
});

export type Answers = Readonly<Record<"plain" | "long" | "tools" | "schema", { readonly whole: Script; readonly streamed: Script }>>;

export const whole =
  (message: object, finishReason = "stop", more: object = {}): Script =>
  () => {
    const answer = completion(message, more) as { choices: object[] };
    return Response.json({ ...answer, choices: answer.choices.map((choice) => ({ ...choice, finish_reason: finishReason })) });
  };
export const streamed =
  (deltas: readonly object[], finishReason = "stop"): Script =>
  () =>
    events([chunk({ role: "assistant", content: "" }), ...deltas.map((delta) => chunk(delta)), chunk({}, finishReason), usageChunk()]);

export const silent: Script = () => new Promise<Response>(() => undefined);

/** Sends data until the client disconnects. */
export const endless: Script = () => {
  const line = new TextEncoder().encode(`data: ${chunk({ role: "assistant", content: "1" })}\n\n`);
  return rawEvents(new ReadableStream({ start: (controller) => controller.enqueue(line) }));
};

export const GOOD: Answers = {
  plain: { whole: whole({ content: "1 2 3 4 5" }), streamed: streamed([{ content: "1 2 3" }, { content: " 4 5" }]) },
  long: { whole: whole({}), streamed: endless },
  tools: {
    whole: whole({ content: null, tool_calls: [CALL] }, "tool_calls"),
    streamed: streamed([callPiece('{"city":'), { tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }], "tool_calls"),
  },
  schema: { whole: whole({ content: '{"sum":5}' }), streamed: streamed([{ content: '{"sum":5}' }]) },
};

export const refuse =
  (status: number, message: string): Script =>
  () =>
    Response.json({ error: { message } }, { status });

/** An upstream that returns these responses, by the kind of request. */
export function answering(answers: Answers): Script {
  return (request) => {
    const {
      tools,
      response_format: format,
      messages,
      stream,
    } = request.body as { messages: { content: string }[]; [name: string]: unknown };
    const kind = tools ? "tools" : format ? "schema" : messages[0]!.content.includes("200") ? "long" : "plain";
    return answers[kind][stream ? "streamed" : "whole"](request);
  };
}

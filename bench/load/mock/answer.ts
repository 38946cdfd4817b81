import type { Socket } from "bun";
import { planOf, usageOf } from "../stream-plan.ts";
import { aborts, counters, countTokens, reset } from "./counters.ts";
import { finishAll, OpenStream } from "./open-stream.ts";

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
}

/** Sends the response that the request asks for. Returns the stream, if it is one. */
export function answer(socket: Socket<unknown>, { method, path, body }: Question): OpenStream | undefined {
  if (method === "POST" && path.endsWith("/chat/completions")) return answerChat(socket, body);
  socket.write(answerControl(`${method} ${path}`));
}

function answerChat(socket: Socket<unknown>, body: Buffer): OpenStream | undefined {
  const model = textBehind(body, '"model"') ?? "";
  const isStream = isTrue(body, '"stream"');
  const status = /^status-(\d{3})$/.exec(model)?.[1];
  if (model === "hang") counters.hung++;
  else if (status !== undefined) socket.write(refuse(Number(status)));
  else if (!isStream) socket.write(answerJson(model));
  else if (planOf(model)) return new OpenStream(socket, model, isTrue(body, '"include_usage"'), markIn(body));
  else socket.write(refuse(404));
}

function answerControl(call: string): Buffer {
  if (call === "GET /counters") return reply(200, counters);
  if (call === "GET /aborts") return reply(200, aborts);
  if (call === "POST /reset") reset();
  else if (call === "POST /finish") finishAll();
  else return refuse(404);
  return reply(200, {});
}

/**
 * Bodies are searched and not parsed: parsing a prompt of 100 KB would cost more than all other work. Our requests contain each name once.
 */
function textBehind(body: Buffer, name: string): string | undefined {
  const at = body.indexOf(name);
  if (at < 0) return undefined;
  return /^\s*:\s*"([^"]*)"/.exec(body.toString("latin1", at + name.length, at + name.length + 200))?.[1];
}

function isTrue(body: Buffer, name: string): boolean {
  const at = body.indexOf(name);
  return at >= 0 && /^\s*:\s*true/.test(body.toString("latin1", at + name.length, at + name.length + 20));
}

function markIn(body: Buffer): number | undefined {
  const at = body.indexOf("[mark ");
  return at < 0 ? undefined : Number.parseInt(body.toString("latin1", at + 6, at + 20), 10);
}

const TEXT = "Hello! How can I assist you today? I am here to help with questions about gateways, their speed and their price.";
const USAGE = {
  ...usageOf(24),
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};
const answers = new Map<string, Buffer>();

function answerJson(model: string): Buffer {
  counters.answers++;
  countTokens(USAGE);
  let bytes = answers.get(model);
  if (!bytes) answers.set(model, (bytes = reply(200, completion(model))));
  return bytes;
}

function completion(model: string): object {
  const message = { role: "assistant", content: TEXT, refusal: null, annotations: [] };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  return { id: "chatcmpl-bench", object: "chat.completion", created: 1_741_569_952, model, choices, usage: USAGE, service_tier: "default" };
}

function refuse(status: number): Buffer {
  counters.refusals++;
  return reply(status, { error: { message: `The mock answers with ${status}.`, type: "mock_error", param: null, code: null } });
}

function reply(status: number, body: object): Buffer {
  const json = JSON.stringify(body);
  return Buffer.from(
    `HTTP/1.1 ${status} ${status === 200 ? "OK" : "Refused"}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
}

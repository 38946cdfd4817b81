import { expect } from "bun:test";
import { chunkSchema, completionSchema } from "../../../src/requests/chat-completion.ts";
import { findViolation } from "../../../src/lib/schema/schema.ts";
import { checkBody } from "../../openapi/check-reply.ts";

/** The requirements of every tested client for a response (see the wire rules in docs/wire-format.md), checked in every byte. */

export interface Chunk {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly choices: { index: number; delta: Record<string, unknown>; finish_reason: string | null }[];
  readonly usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}

/** Checks the body of a response against the published description: generated clients expect exactly that. */
function expectDocumented(type: "application/json" | "text/event-stream", body: string): void {
  const headers = new Headers({ "content-type": type });
  checkBody("gateway", { method: "POST", path: "/chat/completions", status: 200, headers }, body);
}

/** Splits an event stream into the data of its frames. Rejects everything except for plain `data:` frames and the gateway's comment. */
export function framesOf(text: string): string[] {
  expect(text.endsWith("\n\n")).toBe(true);
  expectDocumented("text/event-stream", text);
  const frames = text.slice(0, -2).split("\n\n");
  const data = frames.filter((frame) => frame !== ": keep-alive");
  for (const frame of data) expect(frame).toMatch(/^data: [^\n\r]+$/);
  return data.map((frame) => frame.slice("data: ".length));
}

/** Checks a complete, successful stream against every rule, and returns its chunks. */
export function expectGoodStream(text: string, model: string, options: { usage: boolean } = { usage: false }): Chunk[] {
  const frames = framesOf(text);
  expect(frames.at(-1)).toBe("[DONE]");
  const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame) as Chunk);
  for (const chunk of chunks) {
    expect(findViolation(chunkSchema, chunk)).toBeUndefined();
    expect(chunk).not.toHaveProperty("error");
    expect([chunk.id, chunk.created, chunk.model]).toEqual([chunks[0]!.id, chunks[0]!.created, model]);
  }
  const counts = chunks.filter((chunk) => chunk.usage != null);
  expect(counts).toHaveLength(options.usage ? 1 : 0);
  if (options.usage) expect(chunks.at(-1)).toMatchObject({ choices: [], usage: counts[0]!.usage! });
  const spoken = options.usage ? chunks.slice(0, -1) : chunks;
  for (const index of new Set(spoken.flatMap((chunk) => chunk.choices.map((choice) => choice.index)))) {
    expectGoodChoice(spoken.flatMap((chunk) => chunk.choices.filter((choice) => choice.index === index)));
  }
  for (const chunk of spoken) expect(chunk.choices.length).toBeGreaterThan(0);
  return chunks;
}

function expectGoodChoice(parts: Chunk["choices"]): void {
  expect(parts[0]!.delta["role"]).toBe("assistant");
  for (const part of parts.slice(1)) expect(part.delta).not.toHaveProperty("role");
  expect(parts.filter((part) => part.finish_reason !== null)).toHaveLength(1);
  const opened = new Set<unknown>();
  for (const call of parts.flatMap((part) => (part.delta["tool_calls"] ?? []) as Record<string, unknown>[])) {
    const fn = call["function"] as Record<string, unknown>;
    const isFirst = !opened.has(call["index"]);
    opened.add(call["index"]);
    const seen = [typeof call["id"], typeof call["type"], typeof fn["name"]];
    expect(seen).toEqual(isFirst ? ["string", "string", "string"] : ["undefined", "undefined", "undefined"]);
  }
}

/** Checks a broken stream: an error frame at the end, and nothing that looks like success. */
export function expectBrokenStream(text: string): { chunks: Chunk[]; error: { code: string; type: string; message: string; param: null } } {
  const frames = framesOf(text);
  expect(frames).not.toContain("[DONE]");
  const last = JSON.parse(frames.at(-1)!) as { error: { code: string; type: string; message: string; param: null } };
  expect(Object.keys(last)).toEqual(["error"]);
  return { chunks: frames.slice(0, -1).map((frame) => JSON.parse(frame) as Chunk), error: last.error };
}

/** The text of the first choice. */
export function textOf(chunks: readonly Chunk[]): string {
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta as { content?: string | null }));
  return deltas.map((delta) => delta.content ?? "").join("");
}

/** Checks a JSON response against every rule. */
export function expectGoodCompletion(text: string, model: string): Record<string, unknown> {
  const completion = JSON.parse(text) as Record<string, unknown>;
  expectDocumented("application/json", text);
  expect(findViolation(completionSchema, completion)).toBeUndefined();
  expect(completion["model"]).toBe(model);
  expect(completion).not.toHaveProperty("error");
  expect((completion["choices"] as unknown[]).length).toBeGreaterThan(0);
  return completion;
}

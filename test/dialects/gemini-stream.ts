import { GeminiEvents } from "../../src/upstreams/gemini/gemini-events.ts";
import { EventReader } from "../../src/upstreams/streams/read-events.ts";
import type { Deviation } from "../../src/models/deviation.ts";
import type { Usage } from "../../src/money/usage.ts";
import { framesOf } from "./gemini-answers.ts";
import { geminiCall } from "./gemini-call.ts";

/** The result of a stream. */
export interface StreamResult {
  /** The text that the gateway sends, with the token counts and the end. */
  readonly text: string;
  readonly usage: Usage | undefined;
  readonly uncountedBytes: number;
  readonly deviations: readonly Deviation[];
}

const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** Reads a stream of these events to its end, its bytes split at these positions. Throws the error that the gateway would receive. */
export function readStream(events: readonly unknown[], cuts: readonly number[] = []): StreamResult {
  const call = geminiCall({ stream: true });
  const translator = new GeminiEvents(call);
  const reader = new EventReader();
  const chunks: string[] = [];
  const bytes = Buffer.from(framesOf(events));
  const borders = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((one, other) => one - other);
  for (const [at, border] of borders.slice(1).entries()) {
    for (const event of reader.feed(bytes.subarray(borders[at], border))) translator.take(event, chunks);
  }
  for (const event of reader.end()) translator.take(event, chunks);
  translator.requireFinished();
  chunks.push(...translator.lastChunks(), ...translator.endEvents(translator.usage ?? NO_USAGE, {}), "[DONE]");
  const text = chunks.map((chunk) => `data: ${chunk}\n\n`).join("");
  return { text, usage: translator.usage, uncountedBytes: translator.uncountedBytes, deviations: call.deviations };
}

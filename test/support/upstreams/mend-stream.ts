import { ChunkMender } from "../../../src/upstreams/openai/chunk-mender.ts";
import type { UpstreamCall } from "../../../src/upstreams/upstream.ts";
import type { Deviation } from "../../../src/models/deviation.ts";
import { NO_CHANGES } from "../../../src/models/parameters/parameter-policy.ts";
import { DEFAULT_TIMEOUTS } from "../../../src/models/timeouts.ts";
import { expectGoodStream, type Chunk } from "./conformance.ts";
import { chatOf } from "./upstream-call.ts";

export const PUBLIC_MODEL = "public-model";

/** A call that uses only the model's name and `report`. */
export function callThatReports(report: (deviation: Deviation) => void): UpstreamCall {
  return {
    chat: chatOf({ model: PUBLIC_MODEL, stream: true }),
    model: PUBLIC_MODEL,
    upstreamModel: "theirs",
    parameterMapping: NO_CHANGES,
    maxTokens: undefined,
    maxOutputTokens: 1,
    credential: undefined,
    timeouts: DEFAULT_TIMEOUTS,
    signal: new AbortController().signal,
    report,
  };
}

export interface PassedStream {
  /** The exact bytes that the client receives. */
  readonly text: string;
  readonly hasUsage: boolean;
  readonly reported: readonly Deviation[];
}

/** Passes the events of an upstream's stream through the guard. Throws if the guard throws. */
export function passStream(events: readonly string[]): PassedStream {
  const reported: Deviation[] = [];
  const mender = new ChunkMender(callThatReports((deviation) => void reported.push(deviation)));
  const frames: string[] = [];
  for (const event of events) if (mender.take(event, frames)) break;
  mender.requireFinished();
  const { usage } = mender;
  if (usage) frames.push(...mender.endEvents(usage, {}));
  const text = [...frames, "[DONE]"].map((frame) => `data: ${frame}\n\n`).join("");
  return { text, hasUsage: usage !== undefined, reported };
}

/** Like `passStream`, and checks the result against every rule of the format. */
export function mendStream(events: readonly string[]): PassedStream & { readonly chunks: readonly Chunk[] } {
  const passed = passStream(events);
  return { ...passed, chunks: expectGoodStream(passed.text, PUBLIC_MODEL, { usage: passed.hasUsage }) };
}

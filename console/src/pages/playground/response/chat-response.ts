import { readChunk, type GatewayError, type Chunk, type ToolCallChunk, type Usage } from "./chunk.ts";
import type { ToolCall } from "../conversation.ts";
import { StreamedText } from "./streamed-text.ts";

/** `rejected`: an error status. `interrupted`: the response ended before it was complete, or before it started. */
export type Phase = "waiting" | "streaming" | "done" | "stopped" | "rejected" | "interrupted";

export interface Failure extends GatewayError {
  /** 0 without an HTTP response. */
  readonly status: number;
  readonly retryAfterSeconds: number | null;
}

/** A snapshot of a response's progress, without its text. */
export interface Progress {
  readonly phase: Phase;
  readonly requestId: string | null;
  readonly startedAtMs: number;
  readonly firstTokenAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly receivedBytes: number;
  readonly usage: Usage | null;
  readonly finishReason: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly failure: Failure | null;
}

interface RestoredResponse {
  readonly model: string;
  readonly text: string;
  readonly reasoning: string;
  readonly progress: Progress;
}

const utf8 = new TextEncoder();

/**
 * A response during its stream. Views receive the text chunk by chunk, and everything else at most once per frame, because a stream can
 * have thousands of chunks per second.
 */
export class ChatResponse {
  readonly model: string;
  readonly text = new StreamedText();
  readonly reasoning = new StreamedText();
  readonly raw = new StreamedText();
  readonly #listeners = new Set<() => void>();
  #progress: Progress;
  #shown: Progress;
  readonly #onNextFrame: (draw: () => void) => void;
  #isDue = false;

  constructor(model: string, nowMs: number, onNextFrame: (draw: () => void) => void) {
    this.model = model;
    this.#onNextFrame = onNextFrame;
    this.#progress = {
      phase: "waiting",
      requestId: null,
      startedAtMs: nowMs,
      firstTokenAtMs: null,
      endedAtMs: null,
      receivedBytes: 0,
      usage: null,
      finishReason: null,
      toolCalls: [],
      failure: null,
    };
    this.#shown = this.#progress;
  }

  /** A response that has ended, as the history stores it. */
  static restored({ model, text, reasoning, progress }: RestoredResponse): ChatResponse {
    const response = new ChatResponse(model, progress.startedAtMs, () => undefined);
    response.text.append(text);
    response.reasoning.append(reasoning);
    response.#progress = response.#shown = progress;
    return response;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly progress = (): Progress => this.#shown;

  get isOver(): boolean {
    return this.#progress.endedAtMs !== null;
  }

  /** The response has started, with this request ID. */
  open(requestId: string | null): void {
    this.#set({ requestId });
  }

  /** Processes the data of an event, or a whole JSON response. Returns the error that it contains. */
  take(json: string, nowMs: number): GatewayError | undefined {
    const chunk = readChunk(json);
    if (!chunk) return { message: "The response contains an invalid chunk.", code: "unreadable", param: null };
    this.#apply(chunk, nowMs);
    return chunk.error;
  }

  end(phase: Phase, nowMs: number, failure: Failure | null = null): void {
    if (this.isOver) return;
    this.#set({ phase, endedAtMs: nowMs, failure });
    this.#show();
  }

  #apply({ text, reasoning, toolCalls, finishReason, usage }: Chunk, nowMs: number): void {
    this.text.append(text);
    this.reasoning.append(reasoning);
    const received = text + reasoning + toolCalls.map((call) => (call.name ?? "") + (call.arguments ?? "")).join("");
    const before = this.#progress;
    this.#set({
      ...(received !== "" && { phase: "streaming", firstTokenAtMs: before.firstTokenAtMs ?? nowMs }),
      receivedBytes: before.receivedBytes + utf8.encode(received).length,
      toolCalls: toolCalls.reduce(withToolChunk, before.toolCalls),
      ...(finishReason !== undefined && { finishReason }),
      ...(usage && { usage }),
    });
  }

  #set(change: Partial<Progress>): void {
    this.#progress = { ...this.#progress, ...change };
    if (this.#isDue) return;
    this.#isDue = true;
    this.#onNextFrame(() => this.#isDue && this.#show());
  }

  #show(): void {
    this.#isDue = false;
    this.#shown = this.#progress;
    for (const notify of this.#listeners) notify();
  }
}

/** The name of a tool call comes first, then its arguments in chunks. */
function withToolChunk(calls: readonly ToolCall[], chunk: ToolCallChunk): readonly ToolCall[] {
  const call = calls[chunk.index] ?? { id: "", name: "", arguments: "" };
  // An index beyond the next one would leave a gap.
  if (chunk.index > calls.length || chunk.index < 0) return calls;
  const grown = {
    id: chunk.id ?? call.id,
    name: call.name + (chunk.name ?? ""),
    arguments: call.arguments + (chunk.arguments ?? ""),
  };
  return [...calls.slice(0, chunk.index), grown, ...calls.slice(chunk.index + 1)];
}

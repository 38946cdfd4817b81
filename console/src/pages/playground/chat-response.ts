import { readPiece, type GatewayError, type Piece, type ToolPiece, type Usage } from "./chunk.ts";
import type { ToolCall } from "./conversation.ts";
import { GrowingText } from "./streamed-text.ts";

/** Refused: the reply was a refusal. Broken: it ended, or was lost, before the answer was whole, or even begun. */
export type Phase = "waiting" | "answering" | "done" | "stopped" | "refused" | "broken";

export interface Failure extends GatewayError {
  /** 0 where nothing came that has one. */
  readonly status: number;
  readonly retryAfterSeconds: number | null;
}

/** What is known of an answer at a moment, but for its text. */
export interface Progress {
  readonly phase: Phase;
  readonly requestId: string | null;
  readonly startedAtMs: number;
  readonly firstTokenAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly saidBytes: number;
  readonly usage: Usage | null;
  readonly finishReason: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly failure: Failure | null;
}

const utf8 = new TextEncoder();

/**
 * An answer while it comes. The text is told piece by piece to whoever shows it; the rest at most once for each frame, because a stream
 * can bring thousands of pieces a second.
 */
export class Answer {
  readonly model: string;
  readonly text = new GrowingText();
  readonly reasoning = new GrowingText();
  readonly raw = new GrowingText();
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
      saidBytes: 0,
      usage: null,
      finishReason: null,
      toolCalls: [],
      failure: null,
    };
    this.#shown = this.#progress;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly progress = (): Progress => this.#shown;

  get isOver(): boolean {
    return this.#progress.endedAtMs !== null;
  }

  /** The reply has begun, under this id. */
  open(requestId: string | null): void {
    this.#set({ requestId });
  }

  /** The data of an event, or a whole JSON answer. Gives what is wrong, where it tells of a failure. */
  take(json: string, nowMs: number): GatewayError | undefined {
    const piece = readPiece(json);
    if (!piece) return { message: "Something came that is no part of an answer.", code: "unreadable", param: null };
    this.#hear(piece, nowMs);
    return piece.error;
  }

  end(phase: Phase, nowMs: number, failure: Failure | null = null): void {
    if (this.isOver) return;
    this.#set({ phase, endedAtMs: nowMs, failure });
    this.#show();
  }

  #hear({ text, reasoning, toolCalls, finishReason, usage }: Piece, nowMs: number): void {
    this.text.append(text);
    this.reasoning.append(reasoning);
    const said = text + reasoning + toolCalls.map((call) => (call.name ?? "") + (call.arguments ?? "")).join("");
    const before = this.#progress;
    this.#set({
      ...(said !== "" && { phase: "answering", firstTokenAtMs: before.firstTokenAtMs ?? nowMs }),
      saidBytes: before.saidBytes + utf8.encode(said).length,
      toolCalls: toolCalls.reduce(withToolPiece, before.toolCalls),
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
    for (const tell of this.#listeners) tell();
  }
}

/** A call's name comes first, and its arguments in pieces after it. */
function withToolPiece(calls: readonly ToolCall[], piece: ToolPiece): readonly ToolCall[] {
  const call = calls[piece.index] ?? { id: "", name: "", arguments: "" };
  // An index beyond the next would be a hole.
  if (piece.index > calls.length || piece.index < 0) return calls;
  const grown = {
    id: piece.id ?? call.id,
    name: call.name + (piece.name ?? ""),
    arguments: call.arguments + (piece.arguments ?? ""),
  };
  return [...calls.slice(0, piece.index), grown, ...calls.slice(piece.index + 1)];
}

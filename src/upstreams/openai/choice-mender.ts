import { isObject } from "../../lib/schema/schema.ts";
import { isCutShort, mendFinishReason } from "./finish-reasons.ts";
import { measureText, mendText, mendToolCallList, toolCallsOf } from "./mend.ts";
import type { Mending } from "./mending.ts";
import type { Usage } from "../../money/usage.ts";
import { ReceivedText } from "./received-text.ts";
import { ToolCallDeltas } from "./tool-call-deltas.ts";
import type { CountedChoice } from "./usage-frames.ts";

type Json = Record<string, unknown>;

/** Checks the deltas of one choice as they pass. */
export class ChoiceMender implements CountedChoice {
  readonly received = new ReceivedText();
  usage: Usage | undefined;
  isCountedAtEnd = false;
  uncountedBytes = 0;
  readonly #toolCalls = new ToolCallDeltas();
  #hasRole = false;
  #isFinished = false;

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Repairs a delta. Returns the bytes of its text. */
  mend(choice: Json, mending: Mending): number {
    if (!isObject(choice["delta"])) mending.set(choice, "delta", {}, "delta_missing");
    const delta = choice["delta"] as Json;
    this.#mendRole(delta, mending);
    mendText(delta, mending);
    mendToolCallList(delta, mending);
    for (const call of toolCallsOf(delta)) this.#toolCalls.mend(call, mending);
    const bytes = measureText(delta, this.received);
    this.uncountedBytes += bytes;
    if (this.#isFinished && bytes > 0) mending.note("text_after_finish");
    this.#mendFinish(choice, delta, mending);
    return bytes;
  }

  /** Counts text that needs no repair, and returns its bytes. */
  addText(text: string): number {
    const bytes = this.received.add(text);
    this.uncountedBytes += bytes;
    return bytes;
  }

  /** SDK stream helpers build the message from the first delta and need the role there; they append a repeated role. */
  #mendRole(delta: Json, mending: Mending): void {
    if (this.#hasRole) {
      if (delta["role"] !== undefined) mending.remove(delta, "role", "role_repeated");
    } else if (delta["role"] !== "assistant") {
      mending.set(delta, "role", "assistant", "role_missing");
    }
    this.#hasRole = true;
  }

  #mendFinish(choice: Json, delta: Json, mending: Mending): void {
    if (choice["finish_reason"] === null) return;
    mendFinishReason(choice, this.#toolCalls.count > 0, mending);
    const reason = choice["finish_reason"];
    if (reason === null) return;
    if (this.#isFinished) return mending.set(choice, "finish_reason", null, "finish_reason_repeated");
    this.#isFinished = true;
    if (!isCutShort(reason)) this.#toolCalls.endArguments(delta, mending);
  }
}

import type { Deviation } from "../../models/deviation.ts";
import type { UpstreamCall } from "../upstream.ts";

type Json = Record<string, unknown>;

/**
 * Tracks the repairs of one response: without any it is relayed with its own bytes, otherwise it is serialized again. Each format
 * deviation is reported once per response, however many of its chunks have it.
 */
export class Mending {
  /** Whether a repair is needed: for the whole JSON response, or for the current chunk. */
  isNeeded = false;
  readonly #call: Pick<UpstreamCall, "report">;
  /** Created with the first deviation: most responses have none. */
  #reported: Set<Deviation> | undefined;

  constructor(call: Pick<UpstreamCall, "report">) {
    this.#call = call;
  }

  beginChunk(): void {
    this.isNeeded = false;
  }

  /** `deviation` is omitted if the upstream's value is valid and only normalized, or must not reach callers. */
  set(target: Json, name: string, value: unknown, deviation?: Deviation): void {
    target[name] = value;
    this.isNeeded = true;
    if (deviation) this.note(deviation);
  }

  remove(target: Json, name: string, deviation?: Deviation): void {
    if (!Object.hasOwn(target, name)) return;
    delete target[name];
    this.isNeeded = true;
    if (deviation) this.note(deviation);
  }

  note(deviation: Deviation): void {
    this.#reported ??= new Set();
    if (this.#reported.has(deviation)) return;
    this.#reported.add(deviation);
    this.#call.report(deviation);
  }
}

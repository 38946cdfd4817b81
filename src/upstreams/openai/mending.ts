import type { Deviation } from "../../models/deviation.ts";
import type { UpstreamCall } from "../upstream.ts";

type Json = Record<string, unknown>;

/**
 * The changes made to an answer, remembered: one that needed none is relayed with its own bytes, and only one that did is
 * written anew. Each kind of deviation is reported once for an answer, however many of its chunks have it.
 */
export class Mending {
  /** Of the whole answer, or of the chunk that was begun last. */
  isNeeded = false;
  readonly #call: Pick<UpstreamCall, "report">;
  /** Made with the first of them: most answers have none. */
  #reported: Set<Deviation> | undefined;

  constructor(call: Pick<UpstreamCall, "report">) {
    this.#call = call;
  }

  beginChunk(): void {
    this.isNeeded = false;
  }

  /** Without a deviation where the upstream is right, and we say it in another way. */
  set(target: Json, name: string, value: unknown, deviation?: Deviation): void {
    target[name] = value;
    this.isNeeded = true;
    if (deviation) this.note(deviation);
  }

  remove(target: Json, name: string, deviation: Deviation): void {
    if (!Object.hasOwn(target, name)) return;
    delete target[name];
    this.isNeeded = true;
    this.note(deviation);
  }

  note(deviation: Deviation): void {
    this.#reported ??= new Set();
    if (this.#reported.has(deviation)) return;
    this.#reported.add(deviation);
    this.#call.report(deviation);
  }
}

import { isObject } from "../../lib/schema/schema.ts";
import { usageFromWire, type Usage } from "../../money/usage.ts";

interface InputCounts {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * The token counts of one answer. A stream counts at its beginning and again at its end, each time in sum: what comes later
 * replaces what came before. It may leave counts out, and those stay; what comes to less than was counted already is not believed.
 */
export class AnthropicUsage {
  #input: InputCounts | undefined;
  #output: number | undefined;
  #thinking = 0;

  /** Takes a `usage` object. Whether it has counted the answer. */
  take(wire: unknown): boolean {
    if (!isObject(wire)) return false;
    this.#takeInput(wire);
    const output = countIn(wire, "output_tokens");
    if (output === undefined) return false;
    this.#output = Math.max(output, this.#output ?? 0);
    this.#thinking = Math.max(countIn(wire["output_tokens_details"], "thinking_tokens") ?? 0, this.#thinking);
    return this.usage !== undefined;
  }

  /** Undefined where the prompt or the answer was never counted. */
  get usage(): Usage | undefined {
    if (!this.#input || this.#output === undefined) return undefined;
    const { cacheRead, cacheWrite } = this.#input;
    return usageFromWire({
      prompt_tokens: sumOf(this.#input),
      completion_tokens: this.#output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: this.#thinking },
    });
  }

  #takeInput(wire: Record<string, unknown>): void {
    const fresh = countIn(wire, "input_tokens") ?? this.#input?.fresh;
    if (fresh === undefined) return;
    const cacheRead = countIn(wire, "cache_read_input_tokens") ?? this.#input?.cacheRead ?? 0;
    const cacheWrite = countIn(wire, "cache_creation_input_tokens") ?? this.#input?.cacheWrite ?? 0;
    const input = { fresh, cacheRead, cacheWrite };
    if (!this.#input || sumOf(input) >= sumOf(this.#input)) this.#input = input;
  }
}

/** What the format calls input is only what was neither read from the cache nor written to it. */
function sumOf({ fresh, cacheRead, cacheWrite }: InputCounts): number {
  return fresh + cacheRead + cacheWrite;
}

function countIn(wire: unknown, name: string): number | undefined {
  const count = isObject(wire) ? wire[name] : undefined;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

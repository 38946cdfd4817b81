import { isObject } from "../../lib/schema/schema.ts";
import { usageFromWire, type Usage } from "../../money/usage.ts";

interface InputCounts {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/**
 * The token counts of one response. A stream reports cumulative counts at its start and at its end: later counts replace earlier
 * ones. Missing counts keep their earlier value, and counts lower than before are ignored.
 */
export class AnthropicUsage {
  #input: InputCounts | undefined;
  #output: number | undefined;
  #thinking = 0;
  /** The counts so far, until the next ones arrive: a caller can tell by the object whether counts have changed. */
  #usage: Usage | undefined;

  /** Reads a `usage` object. Returns whether it has an output count. */
  take(wire: unknown): boolean {
    if (!isObject(wire)) return false;
    this.#usage = undefined;
    this.#takeInput(wire);
    const output = countIn(wire, "output_tokens");
    if (output === undefined) return false;
    this.#output = Math.max(output, this.#output ?? 0);
    this.#thinking = Math.max(countIn(wire["output_tokens_details"], "thinking_tokens") ?? 0, this.#thinking);
    return this.usage !== undefined;
  }

  /** Undefined until both input and output have been counted. */
  get usage(): Usage | undefined {
    if (!this.#input || this.#output === undefined) return undefined;
    const { cacheRead, cacheWrite } = this.#input;
    return (this.#usage ??= usageFromWire({
      prompt_tokens: sumOf(this.#input),
      completion_tokens: this.#output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: this.#thinking },
    }));
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

/** `input_tokens` excludes cache reads and cache writes. */
function sumOf({ fresh, cacheRead, cacheWrite }: InputCounts): number {
  return fresh + cacheRead + cacheWrite;
}

function countIn(wire: unknown, name: string): number | undefined {
  const count = isObject(wire) ? wire[name] : undefined;
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : undefined;
}

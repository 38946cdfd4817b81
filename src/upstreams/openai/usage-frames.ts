import type { Usage } from "../../money/usage.ts";

/** The token counts of one choice of a stream. */
export interface CountedChoice {
  readonly isFinished: boolean;
  /** The last frame that can be attributed to this choice. */
  usage: Usage | undefined;
  /** Whether a frame came with the end of the choice, so that no later frame belongs to it. */
  isCountedAtEnd: boolean;
  /** Bytes of text since that frame. */
  uncountedBytes: number;
}

/**
 * The usage frames of one stream. The format has one frame, for the whole response; many servers send running totals, and only the last one
 * is valid. llama.cpp sends a frame for each choice, after the choice ends (`to_json_oaicompat_chat_stream` in
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-task.cpp), and vLLM with `continuous_usage_stats` counts each
 * choice by itself until the total comes at the end. Frames are summed only on evidence that the running totals of known servers never
 * give.
 */
export class UsageFrames {
  readonly #choices: ReadonlyMap<unknown, CountedChoice>;
  #last: Usage | undefined;
  #lastOf: CountedChoice | undefined;
  /** Whether a frame came anywhere but at the end of a choice, as running totals do. */
  #hasOthers = false;
  #isPerChoice = false;
  /** Bytes of text since the last frame. */
  uncountedBytesOfAll = 0;

  constructor(choices: ReadonlyMap<unknown, CountedChoice>) {
    this.#choices = choices;
  }

  get isPerChoice(): boolean {
    return this.#isPerChoice;
  }

  get isEmpty(): boolean {
    return this.#last === undefined;
  }

  /** The counts so far. The same object as the last frame, if that covers all choices. */
  get usage(): Usage | undefined {
    return this.#isPerChoice ? sumOf(this.#choices.values()) : this.#last;
  }

  get uncountedBytes(): number {
    if (!this.#isPerChoice) return this.uncountedBytesOfAll;
    return this.#choices.values().reduce((sum, { uncountedBytes }) => sum + uncountedBytes, 0);
  }

  /** Takes a frame that belongs to one choice: in a chunk with that choice only, or directly after the chunk that ended it. */
  takeOf(choice: CountedChoice, isAtEnd: boolean, usage: Usage): void {
    if (choice.isCountedAtEnd) return this.takeTotal(usage);
    if (!isAtEnd) this.#hasOthers = true;
    if (this.#isBelowLast(choice, usage) || (isAtEnd && this.#comesWithEachEnd(choice))) this.#isPerChoice = true;
    choice.usage = usage;
    choice.isCountedAtEnd = isAtEnd;
    choice.uncountedBytes = 0;
    this.#store(usage, choice);
  }

  /** Takes a frame for all choices, which replaces all earlier ones. */
  takeTotal(usage: Usage): void {
    this.#hasOthers = true;
    this.#isPerChoice = false;
    this.#store(usage, undefined);
  }

  /** Running totals never decrease. */
  #isBelowLast(choice: CountedChoice, { completionTokens }: Usage): boolean {
    return this.#last !== undefined && this.#lastOf !== choice && completionTokens < this.#last.completionTokens;
  }

  /** Whether frames come only at the ends of choices: another choice is still open, or has had such a frame, too. */
  #comesWithEachEnd(choice: CountedChoice): boolean {
    return !this.#hasOthers && this.#choices.values().some((other) => other !== choice && (!other.isFinished || other.isCountedAtEnd));
  }

  #store(usage: Usage, choice: CountedChoice | undefined): void {
    this.#last = usage;
    this.#lastOf = choice;
    this.uncountedBytesOfAll = 0;
  }
}

/** All choices share one prompt; its cached tokens are the lowest count of any choice. */
function sumOf(choices: Iterable<CountedChoice>): Usage | undefined {
  let sum: Usage | undefined;
  for (const { usage } of choices) if (usage) sum = sum ? withMore(sum, usage) : usage;
  return sum;
}

function withMore(sum: Usage, more: Usage): Usage {
  const promptTokens = Math.max(sum.promptTokens, more.promptTokens);
  const cachedTokens = Math.min(sum.cachedTokens, more.cachedTokens);
  return {
    promptTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(Math.max(sum.cacheWriteTokens, more.cacheWriteTokens), promptTokens - cachedTokens),
    completionTokens: sum.completionTokens + more.completionTokens,
    reasoningTokens: sum.reasoningTokens + more.reasoningTokens,
    premium: more.premium,
  };
}

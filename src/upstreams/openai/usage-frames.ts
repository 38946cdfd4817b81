import type { Usage } from "../../money/usage.ts";

/** One choice of a stream, as far as its token counts go. */
export interface CountedChoice {
  readonly isFinished: boolean;
  /** The last frame that can be attributed to this choice. */
  usage: Usage | undefined;
  /** Whether a frame came with its end, so that no later one is its own. */
  isCountedAtEnd: boolean;
  /** Bytes of text since that frame. */
  uncountedBytes: number;
}

/**
 * The usage frames of one stream. By the format there is one, for the whole answer; many servers send running totals, of which the last
 * counts. llama.cpp sends one for each choice, behind its end (`to_json_oaicompat_chat_stream` in
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-task.cpp), and vLLM with `continuous_usage_stats` counts each
 * choice by itself until the total comes at the end. Frames are added up only on evidence that the running totals of known servers do not give.
 */
export class UsageFrames {
  readonly #choices: ReadonlyMap<unknown, CountedChoice>;
  #last: Usage | undefined;
  #lastOf: CountedChoice | undefined;
  /** Whether a frame came elsewhere than with the end of a choice, as running totals do. */
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

  /** The counts so far. The very object that was taken last, where it is for all choices. */
  get usage(): Usage | undefined {
    return this.#isPerChoice ? sumOf(this.#choices.values()) : this.#last;
  }

  get uncountedBytes(): number {
    if (!this.#isPerChoice) return this.uncountedBytesOfAll;
    return this.#choices.values().reduce((sum, { uncountedBytes }) => sum + uncountedBytes, 0);
  }

  /** A frame that can be attributed to one choice: beside it alone, or directly behind the chunk that ended it. */
  takeOf(choice: CountedChoice, isAtEnd: boolean, usage: Usage): void {
    if (choice.isCountedAtEnd) return this.takeTotal(usage);
    if (!isAtEnd) this.#hasOthers = true;
    if (this.#isBelowLast(choice, usage) || (isAtEnd && this.#comesWithEachEnd(choice))) this.#isPerChoice = true;
    choice.usage = usage;
    choice.isCountedAtEnd = isAtEnd;
    choice.uncountedBytes = 0;
    this.#keep(usage, choice);
  }

  /** A frame for all choices, which takes the place of every other. */
  takeTotal(usage: Usage): void {
    this.#hasOthers = true;
    this.#isPerChoice = false;
    this.#keep(usage, undefined);
  }

  /** Running totals never fall. */
  #isBelowLast(choice: CountedChoice, { completionTokens }: Usage): boolean {
    return this.#last !== undefined && this.#lastOf !== choice && completionTokens < this.#last.completionTokens;
  }

  /** Frames come with the ends of choices and nowhere else: another choice is still open, or has had such a frame of its own. */
  #comesWithEachEnd(choice: CountedChoice): boolean {
    return !this.#hasOthers && this.#choices.values().some((other) => other !== choice && (!other.isFinished || other.isCountedAtEnd));
  }

  #keep(usage: Usage, choice: CountedChoice | undefined): void {
    this.#last = usage;
    this.#lastOf = choice;
    this.uncountedBytesOfAll = 0;
  }
}

/** All choices share one prompt, of which as much was cached as was cached for each of them. */
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
  };
}

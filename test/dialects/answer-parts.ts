/** 10 uncached tokens, 3 read from the cache and 2 written to it; 7 output tokens: the counts as clients receive them. */
export const COUNTED = {
  prompt_tokens: 15,
  completion_tokens: 7,
  total_tokens: 22,
  prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
};

/** The halves of a text, for a stream. */
export function inTwo(words: string): string[] {
  const half = Math.ceil(words.length / 2);
  return [words.slice(0, half), words.slice(half)].filter((piece) => piece !== "");
}

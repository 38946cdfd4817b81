/** The known word that is most similar to a misspelled one. */
export function nearest(word: string, known: readonly string[]): string {
  return known.toSorted((one, other) => editsBetween(word, one) - editsBetween(word, other))[0]!;
}

/** The Levenshtein distance of two words. */
export function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const replaced = row[to - 1]! + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[to]! + 1, next[to - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}

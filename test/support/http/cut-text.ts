/** Splits a text at these positions. */
export function cutText(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].toSorted((a, b) => a - b);
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

/**
 * The beginning of a text, copied. `slice` alone returns a view that keeps the whole text in memory: a name of several megabytes that was
 * cut to 200 characters would not be freed.
 */
export function truncate(text: string, chars: number): string {
  return text.length <= chars ? text : Buffer.from(text.slice(0, chars), "utf16le").toString("utf16le");
}

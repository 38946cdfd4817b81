/**
 * The beginning of a text, in memory of its own. `slice` alone gives a view, which keeps all of the text alive for as long as it
 * lives itself: of a name of megabytes that was cut to 200 characters, nothing would be let go.
 */
export function truncate(text: string, chars: number): string {
  return text.length <= chars ? text : Buffer.from(text.slice(0, chars), "utf16le").toString("utf16le");
}

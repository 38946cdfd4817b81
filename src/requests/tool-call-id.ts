/**
 * An ID of a tool call for an API whose IDs consist of letters, digits, _ and -. IDs of other providers may be longer, or contain other
 * characters. The replacement is deterministic, so that calls and results match.
 */
export function usableToolCallId(id: string, maxChars = Number.POSITIVE_INFINITY): string {
  const isUsable = id.length <= maxChars && /^[\w-]+$/.test(id);
  return isUsable ? id : `${id.replaceAll(/[^\w-]/g, "_").slice(0, 40)}_${Bun.hash(id).toString(36)}`;
}

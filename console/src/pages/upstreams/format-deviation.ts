/** `tool_index_wrong` as "tool index wrong". */
export function formatDeviation(deviation: string): string {
  return deviation.replaceAll("_", " ");
}

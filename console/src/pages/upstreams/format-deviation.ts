/** A kind of deviation as people say it: `tool_index_wrong` as "tool index wrong". */
export function deviationInWords(deviation: string): string {
  return deviation.replaceAll("_", " ");
}

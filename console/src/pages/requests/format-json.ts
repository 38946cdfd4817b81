/** Pretty-prints JSON. Other text, such as the events of a stream or a truncated body, is returned unchanged. */
export function formatJson(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const spaced = JSON.stringify(parsed, null, 2);
    // Not where it would change a number beyond JavaScript's precision.
    return JSON.stringify(parsed) === text ? spaced : text;
  } catch {
    return text;
  }
}

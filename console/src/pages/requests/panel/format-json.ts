const MAX_DEPTH = 100;

/** Pretty-prints JSON. Other text, such as the events of a stream or a truncated body, is returned unchanged. */
export function formatJson(text: string): string {
  if (isDeep(text)) return text;
  try {
    const parsed: unknown = JSON.parse(text);
    const spaced = JSON.stringify(parsed, null, 2);
    // Unchanged, if parsing would change a number beyond JavaScript's precision.
    return JSON.stringify(parsed) === text ? spaced : text;
  } catch {
    return text;
  }
}

/** A parsed value as text. */
export function toJson(value: unknown): string {
  try {
    return formatJson(JSON.stringify(value) ?? "");
  } catch {
    // The value is nested too deep for the call stack.
    return "…";
  }
}

/** The total indentation grows with the square of the depth: a small body of brackets would fill the memory. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** JSON with room in it. What is not JSON, such as the events of a stream or what was cut, stays as it is. */
export function readable(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const spaced = JSON.stringify(parsed, null, 2);
    // A number that is too long for JavaScript would be another one then.
    return JSON.stringify(parsed) === text ? spaced : text;
  } catch {
    return text;
  }
}

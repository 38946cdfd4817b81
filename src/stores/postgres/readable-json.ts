/**
 * A column of JSON text as PostgreSQL can read it. Rows of earlier versions may have the escape of a NUL character, or of half a surrogate pair, as
 * an upstream has sent it in an error message: the server stores them, and rejects the whole statement that reads one. Few rows have any escape.
 * After an escaped backslash, `u0000` is plain text, and stays.
 */
export function readableJson(column: string): string {
  return String.raw`(case when strpos(${column}, '\u') = 0 then ${column}
    else regexp_replace(${column}, '(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})', '\1\\ufffd', 'g') end)`;
}

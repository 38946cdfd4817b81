/** NUL and halves of surrogate pairs, as `JSON.stringify` writes them. */
const NOT_IN_TEXT = /\\u(?:0000|d[89a-f])/;

/**
 * JSON that PostgreSQL can read as columns of type text. Such a column cannot have NUL or half a surrogate pair: these become U+FFFD.
 * Otherwise a shipment with one could never be written, and would block all later ones.
 */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  return NOT_IN_TEXT.test(text) ? JSON.stringify(value, replaceInText) : text;
}

/** Does the same for JSON that was written elsewhere. */
export function toReadableJson(json: string): string {
  return NOT_IN_TEXT.test(json) ? toJson(JSON.parse(json)) : json;
}

function replaceInText(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value;
}

/** The bytes of an image or a file, in base64. */
export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string;
}

/** Longer than any media type with its parameters. */
const MAX_HEAD_CHARS = 300;

export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

/** A data URL (RFC 2397) in the base64 form, which chat requests use. Only the head is searched: the rest may be megabytes. */
export function readDataUrl(url: string): DataUrl | undefined {
  const comma = url.slice(0, MAX_HEAD_CHARS).indexOf(",");
  const head = /^data:([^;,/]+\/[^;,]+)(?:;[^;,]+)*;base64$/i.exec(url.slice(0, Math.max(0, comma)));
  const base64 = url.slice(comma + 1);
  return head && base64 !== "" ? { mediaType: head[1]!.toLowerCase(), base64 } : undefined;
}

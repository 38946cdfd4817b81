/** An image of a message. */
export interface AttachedImage {
  readonly name: string;
  /** A `data:` URL, or a URL that the upstream fetches. */
  readonly url: string;
  readonly bytes: number;
}

/** The decoded size of a base64 `data:` URL. */
export function bytesIn(url: string): number {
  const data = /^data:[^,]*;base64,/.exec(url);
  if (!data) return 0;
  const padding = url.endsWith("==") ? 2 : url.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor(((url.length - data[0].length) * 3) / 4) - padding);
}

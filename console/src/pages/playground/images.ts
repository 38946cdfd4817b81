/** A picture that goes with a question. */
export interface Picture {
  readonly name: string;
  /** A `data:` address, or one that the upstream is to fetch. */
  readonly url: string;
  readonly bytes: number;
}

/** How many bytes a `data:` address in base64 stands for. */
export function bytesIn(url: string): number {
  const data = /^data:[^,]*;base64,/.exec(url);
  if (!data) return 0;
  const padding = url.endsWith("==") ? 2 : url.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor(((url.length - data[0].length) * 3) / 4) - padding);
}

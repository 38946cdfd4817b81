/** The path of a public URL, such as `/tollgate`; empty if the URL has none. */
export function basePathOf(url: URL | string): string {
  return new URL(url).pathname.replace(/\/$/, "");
}

/** A public URL without its trailing slash, as a prefix for links. */
export function baseUrlOf(url: URL): string {
  return `${url.origin}${basePathOf(url)}`;
}

/** The default URLs of the two listeners, as documented. */
export const DEFAULT_URLS = { gateway: "http://127.0.0.1:8700/v1", platform: "http://127.0.0.1:8701" } as const;

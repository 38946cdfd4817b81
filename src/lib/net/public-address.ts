/** The path that a published address begins with, such as `/tollgate`; empty where it has none. */
export function basePathOf(url: URL | string): string {
  return new URL(url).pathname.replace(/\/$/, "");
}

/** A published address as links begin with it: without the slash that a URL has at its end. */
export function addressOf(url: URL): string {
  return `${url.origin}${basePathOf(url)}`;
}

/** Where clients and people reach the two listeners of a start without settings, as the documents in the repository say. */
export const DEFAULT_URLS = { gateway: "http://127.0.0.1:8700/v1", platform: "http://127.0.0.1:8701" } as const;

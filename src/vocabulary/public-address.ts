/** The path that a published address begins with, such as `/tollgate`; empty where it has none. */
export function basePathOf(url: URL | string): string {
  return new URL(url).pathname.replace(/\/$/, "");
}

/** A published address as links begin with it: without the slash that a URL has at its end. */
export function addressOf(url: URL): string {
  return `${url.origin}${basePathOf(url)}`;
}

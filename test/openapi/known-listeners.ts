import type { ObservedReply } from "./check-reply.ts";
import type { ListenerName } from "./documents.ts";

interface KnownListener {
  readonly name: ListenerName;
  /** The path prefix before the paths of the document. */
  readonly basePath: string;
}

const known = new Map<string, KnownListener>();

/** Registers a listener: `checkedFetch` then checks its replies against its document. */
export function noteListener(name: ListenerName, url: string): void {
  const { origin, pathname } = new URL(url);
  known.set(origin, { name, basePath: pathname.replace(/\/$/, "") });
}

/**
 * `fetch` for tests. It checks each reply of a known listener: the head when it arrives, and the body when it is read completely. A body
 * that is read as a stream is not checked, because reading ahead would change the tested behaviour.
 */
export function checkedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const checked = async (...asked: Parameters<typeof globalThis.fetch>): Promise<Response> => {
    const response = await fetch(...asked);
    const listener = known.size === 0 ? undefined : known.get(URL.parse(addressOf(asked[0]))?.origin ?? "");
    if (listener) await check(response, asked, listener);
    return response;
  };
  return Object.assign(checked, { preconnect: fetch.preconnect });
}

function addressOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}

async function check(response: Response, [input, init]: Parameters<typeof fetch>, { name, basePath }: KnownListener): Promise<void> {
  const { pathname } = new URL(addressOf(input));
  if (response.redirected || !pathname.startsWith(basePath)) return;
  // Loaded on demand, because most test files start no listener.
  const { checkBody, checkHead } = await import("./check-reply.ts");
  const { status, headers } = response;
  const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
  const reply: ObservedReply = { method, path: pathname.slice(basePath.length), status, headers };
  checkHead(name, reply);
  const text = response.text.bind(response);
  const readChecked = async (): Promise<string> => {
    const body = await text();
    checkBody(name, reply, body);
    return body;
  };
  Object.assign(response, { text: readChecked, json: async (): Promise<unknown> => JSON.parse(await readChecked()) });
}

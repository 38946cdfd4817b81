import type { KeyUsage, KeyView, ListedModel } from "./key-view.ts";

/** Why the gateway shows nothing, for the holder of the key. */
export class KeyRefused extends Error {}

/**
 * Asks the gateway about a key. The key is sent to this address alone, in a header: not with a redirect, not in a URL, and without cookies.
 * Throws `KeyRefused`.
 */
export async function readKey(gateway: string, key: string, signal: AbortSignal): Promise<KeyView> {
  // Anything else cannot be sent as a header.
  if (!/^[!-~]+$/.test(key)) throw new KeyRefused(INVALID);
  const response = await send(gateway, key, signal);
  if (response.status === 401) throw new KeyRefused(INVALID);
  const body = (await response.json().catch(() => ({}))) as ModelList;
  if (!response.ok) throw new KeyRefused(body.error?.message ?? `The gateway answered with the status ${response.status}.`);
  if (!body.data || !body.usage) throw new KeyRefused("The gateway does not report the usage of keys. It may run an older version.");
  return { models: body.data, usage: body.usage };
}

interface ModelList {
  readonly data?: readonly ListedModel[];
  readonly usage?: KeyUsage;
  readonly error?: { readonly message: string };
}

const INVALID = "This key is not valid. It may be mistyped, or have been revoked or expired.";

async function send(gateway: string, key: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(`${gateway}/models`, {
      headers: { authorization: `Bearer ${key}`, "x-usage": "1" },
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    // A browser does not say which of these it was.
    throw new KeyRefused(
      `The gateway at ${gateway} cannot be reached from this browser. It may be down or blocked by the network, or a proxy in front of it may reject requests from this page (CORS).`,
    );
  }
}

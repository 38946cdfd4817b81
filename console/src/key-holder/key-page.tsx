import { useRef, useState, type ReactNode, type SyntheticEvent } from "react";
import { Brand } from "../shell/brand.tsx";
import type { KeyView, KeyUsage, ListedModel } from "./key-view.ts";
import { UsageView } from "./usage-view.tsx";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/inputs/field.tsx";

/** The key and the gateway's response. Only in memory: a reload forgets both. */
interface OpenedKey {
  readonly key: string;
  readonly view: KeyView;
}

/** Shows a key's holder its models, limits, credit and usage. `gateway` is the base URL, which ends in `/v1`. */
export function KeyPage({ gateway }: { readonly gateway: string }): ReactNode {
  const [opened, setOpened] = useState<OpenedKey>();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const asking = useRef<AbortController>(undefined);

  const ask = async (key: string): Promise<void> => {
    asking.current?.abort();
    const { signal } = (asking.current = new AbortController());
    setBusy(true);
    try {
      const view = await readKey(gateway, key, signal);
      if (signal.aborted) return;
      setOpened({ key, view });
      setFailure(undefined);
    } catch (error) {
      if (!signal.aborted) setFailure((error as Error).message);
    } finally {
      if (!signal.aborted) setBusy(false);
    }
  };
  const forget = (): void => {
    asking.current?.abort();
    setOpened(undefined);
    setFailure(undefined);
    setBusy(false);
  };
  return (
    <>
      <header className="border-b border-line bg-surface">
        <div className="mx-auto flex h-12 max-w-6xl items-center px-4 sm:px-6 lg:px-8">
          <Brand />
        </div>
      </header>
      {opened ? (
        <UsageView of={opened.view} failure={failure} isBusy={isBusy} onRefresh={() => void ask(opened.key)} onForget={forget} />
      ) : (
        <KeyForm gateway={gateway} failure={failure} isBusy={isBusy} onSubmit={(key) => void ask(key)} />
      )}
    </>
  );
}

/** Why the gateway rejected the key, as a message for its holder. */
class KeyRefused extends Error {}

/**
 * Asks the gateway about a key. The key is sent only to this address and only in a header, never with a redirect or in a URL. No cookies
 * are sent. Throws `KeyRefused`.
 */
async function readKey(gateway: string, key: string, signal: AbortSignal): Promise<KeyView> {
  // Other characters cannot be sent in a header.
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
    // A browser does not tell which of these causes it was.
    throw new KeyRefused(
      `The gateway at ${gateway} cannot be reached from this browser. It may be down or blocked by the network, or a proxy in front of it may reject requests from this page (CORS).`,
    );
  }
}

interface KeyFormProps {
  readonly gateway: string;
  readonly failure: string | undefined;
  readonly isBusy: boolean;
  readonly onSubmit: (key: string) => void;
}

/** The form for the key. The input has no name, so that no form can submit it. */
function KeyForm({ gateway, failure, isBusy, onSubmit }: KeyFormProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const key = input.current!.value.trim();
    if (key !== "") onSubmit(key);
  };
  return (
    <main className="mx-auto w-full max-w-lg px-4 py-10 sm:py-16">
      <h1 className="text-xl font-semibold tracking-tight">Your key</h1>
      <p className="mt-1 mb-5 text-ink-2">See the models, limits, credit and usage of an API key, and its latest requests.</p>
      <form className="card flex flex-col gap-4 p-5" onSubmit={submit}>
        <TextField
          ref={input}
          label="API key"
          type="password"
          autoComplete="off"
          autoFocus
          required
          placeholder="sk-service-…"
          error={failure}
        />
        <div>
          <Button type="submit" weight="primary" busy={isBusy}>
            Show usage
          </Button>
        </div>
      </form>
      <p className="mt-4 text-sm text-ink-3">
        The key is sent to the gateway alone, at <span className="font-mono break-all">{gateway}</span>. This page does not store it: it is
        forgotten when you reload or close the page.
      </p>
    </main>
  );
}

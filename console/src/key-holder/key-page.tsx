import { useRef, useState, type ReactNode } from "react";
import { Brand } from "../shell/brand.tsx";
import { KeyForm } from "./key-form.tsx";
import type { KeyView } from "./key-view.ts";
import { readKey } from "./read-key.ts";
import { UsageView } from "./usage-view.tsx";

/** The key and what the gateway answered. In memory alone: a reload forgets both. */
interface Opened {
  readonly key: string;
  readonly view: KeyView;
}

/** Shows a key's holder its models, limits, credit and usage. `gateway` is the base URL, which ends in `/v1`. */
export function KeyPage({ gateway }: { readonly gateway: string }): ReactNode {
  const [opened, setOpened] = useState<Opened>();
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

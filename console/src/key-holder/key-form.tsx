import { useRef, type ReactNode, type SyntheticEvent } from "react";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/inputs/field.tsx";

interface KeyFormProps {
  readonly gateway: string;
  readonly failure: string | undefined;
  readonly isBusy: boolean;
  readonly onSubmit: (key: string) => void;
}

/** Takes a key. The input has no name, so that no form can submit it. */
export function KeyForm({ gateway, failure, isBusy, onSubmit }: KeyFormProps): ReactNode {
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

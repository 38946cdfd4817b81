import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import type { Key } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";

function report(error: Error): void {
  toast(error.message);
}

/** Pauses a key, or resumes it. No dialog: either can be undone with the same button. */
export function PauseKey({ of }: { readonly of: Key }): ReactNode {
  const update = useApiMutation("updateKey");
  const isPaused = of.paused_at !== null;
  const onSuccess = (): void => toast(`Key “${of.name}” ${isPaused ? "resumed" : "paused"}.`);
  return (
    <Button
      disabled={update.isPending}
      onClick={() => update.mutate({ path: { id: of.id }, body: { paused: !isPaused } }, { onSuccess, onError: report })}
    >
      {isPaused ? "Resume" : "Pause"}
    </Button>
  );
}

import type { ReactNode } from "react";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { ago } from "../../parts/format/format.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import type { Key } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";

export function RevokeKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const revoke = useApiMutation("revokeKey");
  const done = (): void => {
    toast(`Key “${of.name}” revoked.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke key “${of.name}”?`}
      action="Revoke"
      change={revoke}
      onConfirm={() => revoke.mutate({ path: { id: of.id } }, { onSuccess: done })}
    >
      <p>
        {of.last_used_at === null ? "Never used." : `Last used ${ago(of.last_used_at)}.`} Requests with this key are rejected immediately.
      </p>
      <p className="mt-2">This cannot be undone. Usage history stays available.</p>
    </Confirm>
  );
}

import type { ReactNode } from "react";
import { Confirm } from "../../parts/confirm.tsx";
import { ago } from "../../parts/format.ts";
import { toast } from "../../parts/toasts.tsx";
import type { Key } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";

export function RevokeKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const revoke = useChange("revokeKey");
  const done = (): void => {
    toast(`The key “${of.name}” is revoked.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke the key “${of.name}”?`}
      action="Revoke"
      change={revoke}
      onConfirm={() => revoke.mutate({ path: { id: of.id } }, { onSuccess: done })}
    >
      <p>
        {of.last_used_at === null ? "It was never used." : `It was last used ${ago(of.last_used_at)}.`} Whatever uses it is refused from its
        next request on.
      </p>
      <p className="mt-2">This cannot be undone. What it has used and spent stays on record.</p>
    </Confirm>
  );
}

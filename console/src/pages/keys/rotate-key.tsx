import type { ReactNode } from "react";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { GracePeriodField, readGracePeriod } from "../../parts/inputs/grace-period-field.tsx";
import type { Key } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";

/** Generates a new secret for a key; its ID and access policy stay. */
export function RotateKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const rotate = useApiMutation("rotateKey");
  if (rotate.data) return <NewKeyDialog created={rotate.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate key “${of.name}”?`}
      action="Rotate"
      change={rotate}
      onSubmit={(form) => rotate.mutate({ path: { id: of.id }, body: readGracePeriod(form) })}
      onClose={onClose}
    >
      <p className="text-ink-2">A new secret is generated. The key's name, limits, spend caps and history stay the same.</p>
      <GracePeriodField label="Grace period for the old secret" hint="Long enough to update every client that uses the key." />
      {of.previous_key_works_until !== null && (
        <Notice tone="warn">The secret from before the last rotation still works. Rotating again disables it immediately.</Notice>
      )}
    </FormDialog>
  );
}

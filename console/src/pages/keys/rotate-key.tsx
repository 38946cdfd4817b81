import type { ReactNode } from "react";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { GracePeriodField, readGracePeriod } from "../../parts/grace-period-field.tsx";
import type { Key } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";

/** Makes a key anew, under the same id and with all that it may do. */
export function RotateKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const rotate = useChange("rotateKey");
  if (rotate.data) return <NewKeyDialog made={rotate.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate the key “${of.name}”?`}
      action="Rotate"
      change={rotate}
      onSubmit={(form) => rotate.mutate({ path: { id: of.id }, body: readGracePeriod(form) })}
      onClose={onClose}
    >
      <p className="text-ink-2">It gets a new text. Its name, limits, caps and history stay as they are.</p>
      <GracePeriodField
        label="How long does the key as it is now work on?"
        hint="Long enough to bring the new one to every program that uses it."
      />
      {of.previous_key_works_until !== null && (
        <Notice tone="warn">It was rotated before, and the key from before that still works. That one stops at once.</Notice>
      )}
    </FormDialog>
  );
}

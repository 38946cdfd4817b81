import type { ReactNode } from "react";
import type { Webhook } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { GracePeriodField, readGracePeriod } from "../../parts/grace-period-field.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

/** Another secret, with everything else as it was. */
export function RotateSecret({ of, onClose }: { readonly of: Webhook; readonly onClose: () => void }): ReactNode {
  const rotate = useChange("rotateWebhookSecret");
  if (rotate.data) return <WebhookSecret of={rotate.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate the secret of “${of.name}”?`}
      action="Rotate"
      change={rotate}
      onSubmit={(form) => rotate.mutate({ path: { id: of.id }, body: readGracePeriod(form) })}
      onClose={onClose}
    >
      <GracePeriodField
        label="How long are messages signed with the secret as it is now, too?"
        hint="Long enough to bring the new one to the receiver."
      />
      {of.previous_secret_signs_until !== null && (
        <Notice tone="warn">It was rotated before. Messages are no longer signed with the secret from before that.</Notice>
      )}
    </FormDialog>
  );
}

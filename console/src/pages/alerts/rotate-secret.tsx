import type { ReactNode } from "react";
import type { Webhook } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { GracePeriodField, readGracePeriod } from "../../parts/inputs/grace-period-field.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

/** Generates a new signing secret; everything else stays. */
export function RotateSecret({ of, onClose }: { readonly of: Webhook; readonly onClose: () => void }): ReactNode {
  const rotate = useApiMutation("rotateWebhookSecret");
  if (rotate.data) return <WebhookSecret of={rotate.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Rotate signing secret of “${of.name}”?`}
      action="Rotate"
      change={rotate}
      onSubmit={(form) => rotate.mutate({ path: { id: of.id }, body: readGracePeriod(form) })}
      onClose={onClose}
    >
      <GracePeriodField
        label="Grace period for the old secret"
        hint="Messages are signed with both secrets until it ends. Allow enough time to update the receiver."
      />
      {of.previous_secret_signs_until !== null && (
        <Notice tone="warn">The secret from before the last rotation still signs messages. Rotating again removes it immediately.</Notice>
      )}
    </FormDialog>
  );
}

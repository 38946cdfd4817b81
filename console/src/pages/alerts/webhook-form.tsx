import { useState, type ReactNode } from "react";
import type { CreateWebhookRequest } from "../../../../platform-client/types.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { toRequest, type WebhookDraft } from "./webhook-draft.ts";
import { SHOWN_FIELDS, WebhookFields } from "./webhook-fields.tsx";

interface WebhookFormProps {
  readonly title: string;
  readonly action: string;
  readonly initial: WebhookDraft;
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSubmit: (body: CreateWebhookRequest) => void;
  readonly onClose: () => void;
}

/** The form to create or edit a webhook. */
export function WebhookForm({ title, action, initial, change, onSubmit, onClose }: WebhookFormProps): ReactNode {
  const [draft, setDraft] = useState(initial);
  return (
    <FormDialog
      title={title}
      action={action}
      change={change}
      fields={SHOWN_FIELDS}
      onSubmit={() => onSubmit(toRequest(draft))}
      onClose={onClose}
    >
      <WebhookFields draft={draft} onDraft={setDraft} error={change.error} />
    </FormDialog>
  );
}

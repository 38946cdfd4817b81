import { useState, type ReactNode } from "react";
import type { CreateWebhookRequest } from "../../platform/interface.ts";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalBeside } from "../../parts/refusal.ts";
import { wanted, type WebhookDraft } from "./webhook-draft.ts";
import { SHOWN_FIELDS, WebhookFields } from "./webhook-fields.tsx";

interface WebhookFormProps {
  readonly title: string;
  readonly action: string;
  readonly begin: WebhookDraft;
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  readonly onSubmit: (body: CreateWebhookRequest) => void;
  readonly onClose: () => void;
}

/** What a webhook is made with, or changed to. */
export function WebhookForm({ title, action, begin, change, onSubmit, onClose }: WebhookFormProps): ReactNode {
  const [draft, setDraft] = useState(begin);
  const wrong = refusalBeside(change.error, SHOWN_FIELDS);
  return (
    <Dialog open onClose={onClose} title={title}>
      <form
        className="contents"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(wanted(draft));
        }}
      >
        <DialogBody>
          <WebhookFields draft={draft} onDraft={setDraft} error={change.error} />
          {wrong && <Notice tone="bad">{wrong}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          <Button type="submit" weight="primary" busy={change.isPending}>
            {action}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

import type { ReactNode } from "react";
import type { Webhook } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

const OVERLAPS = [
  { value: "0", label: "Not at all" },
  { value: "3600", label: "For an hour" },
  { value: "86400", label: "For a day" },
  { value: "604800", label: "For 7 days" },
  { value: "2592000", label: "For 30 days" },
];

/** Another secret, with everything else as it was. */
export function RotateSecret({ of, onClose }: { readonly of: Webhook; readonly onClose: () => void }): ReactNode {
  const rotate = useChange("rotateWebhookSecret");
  if (rotate.data) return <WebhookSecret of={rotate.data} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={`Rotate the secret of “${of.name}”?`}>
      <form
        className="contents"
        onSubmit={(event) => {
          event.preventDefault();
          const { overlap } = formFields(event.currentTarget, "overlap");
          rotate.mutate({ path: { id: of.id }, body: { overlap_seconds: Number(overlap) } });
        }}
      >
        <DialogBody>
          <SelectField
            label="How long are messages signed with the secret as it is now, too?"
            name="overlap"
            choices={OVERLAPS}
            defaultValue="86400"
            hint="Long enough to bring the new one to the receiver."
          />
          {of.previous_secret_signs_until !== null && (
            <Notice tone="warn">It was rotated before. Messages are no longer signed with the secret from before that.</Notice>
          )}
          {rotate.error && <Notice tone="bad">{rotate.error.message}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          <Button type="submit" weight="primary" busy={rotate.isPending}>
            Rotate
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

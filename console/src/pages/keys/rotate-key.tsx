import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/field.tsx";
import { formFields } from "../../parts/form.ts";
import { Notice } from "../../parts/notice.tsx";
import type { Key } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { NewKeyDialog } from "./new-key-dialog.tsx";

const OVERLAPS = [
  { value: "0", label: "Not at all: it stops at once" },
  { value: "3600", label: "For an hour" },
  { value: "86400", label: "For a day" },
  { value: "604800", label: "For 7 days" },
  { value: "2592000", label: "For 30 days" },
];

/** Makes a key anew, under the same id and with all that it may do. */
export function RotateKey({ of, onClose }: { readonly of: Key; readonly onClose: () => void }): ReactNode {
  const rotate = useChange("rotateKey");
  if (rotate.data) return <NewKeyDialog made={rotate.data} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={`Rotate the key “${of.name}”?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { overlap } = formFields(event.currentTarget, "overlap");
          rotate.mutate({ path: { id: of.id }, body: { overlap_seconds: Number(overlap) } });
        }}
      >
        <DialogBody>
          <p className="text-ink-2">It gets a new text. Its name, limits, caps and history stay as they are.</p>
          <SelectField
            label="How long does the key as it is now work on?"
            name="overlap"
            choices={OVERLAPS}
            defaultValue="86400"
            hint="Long enough to bring the new one to every program that uses it."
          />
          {of.previous_key_works_until !== null && (
            <Notice tone="warn">It was rotated before, and the key from before that still works. That one stops at once.</Notice>
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

import type { ReactNode } from "react";
import type { Model } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { Button } from "../../parts/button.tsx";
import { calendarDay } from "../../parts/calendar-day.ts";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { toast } from "../../parts/toasts.tsx";
import { daysInWords, daysUntil } from "./format-model.ts";

interface RetireDialogProps {
  readonly model: Model;
  readonly onClose: () => void;
  /** What has to come first, or mends what stands in the way: to say when it ends, and what to use instead. */
  readonly onDeprecate: () => void;
}

/** Ends a model. The platform is asked beforehand, so that nobody confirms what would be refused. */
export function RetireDialog({ model, onClose, onDeprecate }: RetireDialogProps): ReactNode {
  const { id, state } = model;
  const retire = useChange("retireModel");
  const preview = usePreview("retireModel", { path: { id } }, !retire.isPending && !retire.isSuccess);
  const confirm = (): void =>
    retire.mutate(
      { path: { id } },
      {
        onSuccess: () => {
          toast(`${id} is retired.`);
          onClose();
        },
      },
    );
  const next = (
    <Button small onClick={onDeprecate}>
      {state === "available" ? "Deprecate it first" : "Give it another replacement"}
    </Button>
  );
  return (
    <Dialog open wide onClose={onClose} title={`Retire ${id}?`}>
      <DialogBody>
        {!preview.error && (
          <p className="text-ink-2">
            From the next request on it is refused, for good, and callers are told to use {model.replacement}. Answers under way are
            finished. Its name is not used again.
          </p>
        )}
        <Early model={model} />
        <PreviewOf of={preview} next={next} />
        {retire.error && <Notice tone="bad">{retire.error.message}</Notice>}
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={onClose}>{preview.error ? "Close" : "Cancel"}</Cancel>
        {!preview.error && (
          <Button weight="danger" busy={retire.isPending} disabled={!preview.data} onClick={confirm}>
            Retire {id.length <= 40 && id}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

/** Callers were promised a day. */
function Early({ model: { shutdown_date: day } }: { readonly model: Model }): ReactNode {
  const days = day === null ? 0 : daysUntil(day);
  if (day === null || days <= 0) return null;
  return (
    <Notice tone="warn">
      Callers were told that it works until {calendarDay(day)}, {daysInWords(days)}.
    </Notice>
  );
}

import type { ReactNode } from "react";
import type { Model } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { Button } from "../../parts/button.tsx";
import { calendarDay } from "../../parts/format/calendar-day.ts";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/overlays/dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { daysUntil, formatDays } from "./format-model.ts";

interface RetireDialogProps {
  readonly model: Model;
  readonly onClose: () => void;
  /** Opens the deprecation dialog, which sets the shutdown date and the replacement that retirement requires. */
  readonly onDeprecate: () => void;
}

/** Retires a model. The preview is requested first, so that a retirement that the server would reject cannot be confirmed. */
export function RetireDialog({ model, onClose, onDeprecate }: RetireDialogProps): ReactNode {
  const { id, state } = model;
  const retire = useApiMutation("retireModel");
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
      {state === "available" ? "Deprecate first" : "Change replacement"}
    </Button>
  );
  return (
    <Dialog open wide onClose={onClose} title={`Retire ${id}?`}>
      <DialogBody>
        {!preview.error && (
          <p className="text-ink-2">
            New requests are rejected permanently, with {model.replacement} as the suggested replacement. Requests in flight complete. The
            ID cannot be reused.
          </p>
        )}
        <EarlyWarning model={model} />
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

/** A warning before the announced shutdown date. */
function EarlyWarning({ model: { shutdown_date: day } }: { readonly model: Model }): ReactNode {
  const days = day === null ? 0 : daysUntil(day);
  if (day === null || days <= 0) return null;
  return (
    <Notice tone="warn">
      The announced shutdown date is {calendarDay(day)}, {formatDays(days)}.
    </Notice>
  );
}

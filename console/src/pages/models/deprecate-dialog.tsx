import { useState, type FormEvent, type ReactNode } from "react";
import type { Model } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { Button } from "../../parts/button.tsx";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
import { ModelPicker } from "../../parts/thing-pickers.tsx";
import { toast } from "../../parts/toasts.tsx";

const FIELDS = ["shutdown_date", "replacement"] as const;

/** Announces the end of a model, or changes what was announced. What that means for its callers is shown before. */
export function DeprecateDialog({ model, onClose }: { readonly model: Model; readonly onClose: () => void }): ReactNode {
  const isNew = model.state === "available";
  const [day, setDay] = useState(model.shutdown_date ?? "");
  const [replacement, setReplacement] = useState(model.replacement);
  const deprecate = useChange("deprecateModel");
  const update = useChange("updateModel");
  const change = isNew ? deprecate : update;
  const asked = { path: { id: model.id }, body: { shutdown_date: day, replacement: replacement ?? "" } };
  const isComplete = day !== "" && replacement !== null;
  const preview = usePreview("deprecateModel", asked, isNew && isComplete && !change.isPending && !change.isSuccess);
  const error = change.error ?? preview.error;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const done = {
      onSuccess: () => {
        toast(isNew ? `${model.id} is deprecated.` : `The end of ${model.id} was announced anew.`);
        onClose();
      },
    };
    if (isNew) deprecate.mutate(asked, done);
    else update.mutate(asked, done);
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={isNew ? `Deprecate ${model.id}?` : `Change the end of ${model.id}`}
      about={
        isNew
          ? "It keeps working. Callers are told in the model list, in replies and in the changelog. There is no way back."
          : "It is announced anew. Callers who have planned for the earlier day should not be surprised."
      }
    >
      <form onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Shutdown date"
              type="date"
              value={day}
              onChange={({ target }) => setDay(target.value)}
              min={new Date().toISOString().slice(0, 10)}
              required
              hint="The day on which it is meant to be retired."
              error={refusalAt(error, "shutdown_date")}
            />
            <ModelPicker
              label="Replacement"
              state="available"
              value={replacement}
              onPick={setReplacement}
              hint="What callers are told to use instead."
              error={refusalAt(error, "replacement")}
            />
          </div>
          {!preview.error && <PreviewOf of={preview} />}
          {error && refusalBeside(error, FIELDS) && (
            <Notice tone="bad" title="It would be refused">
              {error.message}
            </Notice>
          )}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          <Button type="submit" weight="primary" busy={change.isPending} disabled={!isComplete || change.isPending || preview.isError}>
            {isNew ? "Deprecate" : "Announce"} {model.id.length <= 40 && model.id}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

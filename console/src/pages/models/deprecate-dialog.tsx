import { useState, type ReactNode } from "react";
import type { Model } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { ModelPicker } from "../../parts/resource-pickers.tsx";
import { toast } from "../../parts/toasts.tsx";

interface DeprecateDialogProps {
  readonly model: Model;
  readonly onClose: () => void;
}

/** Announces the end of a model, or changes what was announced. */
export function DeprecateDialog(props: DeprecateDialogProps): ReactNode {
  // As it was when this was opened: what is asked must not turn round while it closes.
  const [isNew] = useState(props.model.state === "available");
  return isNew ? <Deprecate {...props} /> : <AnnounceAnew {...props} />;
}

/** What it means for its callers is shown before. */
function Deprecate({ model, onClose }: DeprecateDialogProps): ReactNode {
  const [end, setEnd] = useState(() => endOf(model));
  const deprecate = useChange("deprecateModel");
  const asked = { path: { id: model.id }, body: toEnd(end) };
  const preview = usePreview("deprecateModel", asked, isComplete(end) && !deprecate.isPending && !deprecate.isSuccess);
  const error = deprecate.error ?? preview.error;
  const deprecated = (): void => {
    toast(`${model.id} is deprecated.`);
    onClose();
  };
  return (
    <FormDialog
      wide
      title={`Deprecate ${model.id}?`}
      about="It keeps working. Callers are told in the model list, in replies and in the changelog. There is no way back."
      action={`Deprecate ${shortName(model)}`}
      canSubmit={isComplete(end) && !preview.isError}
      change={{ isPending: deprecate.isPending, error }}
      fields={FIELDS}
      onSubmit={() => deprecate.mutate(asked, { onSuccess: deprecated })}
      onClose={onClose}
    >
      <EndFields end={end} onEnd={setEnd} error={error} />
      {!preview.error && <PreviewOf of={preview} />}
    </FormDialog>
  );
}

function AnnounceAnew({ model, onClose }: DeprecateDialogProps): ReactNode {
  const [end, setEnd] = useState(() => endOf(model));
  const update = useChange("updateModel");
  const announced = (): void => {
    toast(`The end of ${model.id} was announced anew.`);
    onClose();
  };
  return (
    <FormDialog
      wide
      title={`Change the end of ${model.id}`}
      about="It is announced anew. Callers who have planned for the earlier day should not be surprised."
      action={`Announce ${shortName(model)}`}
      canSubmit={isComplete(end)}
      change={update}
      fields={FIELDS}
      onSubmit={() => update.mutate({ path: { id: model.id }, body: toEnd(end) }, { onSuccess: announced })}
      onClose={onClose}
    >
      <EndFields end={end} onEnd={setEnd} error={update.error} />
    </FormDialog>
  );
}

/** When a model ends, and what takes its place, while it is typed. */
interface EndDraft {
  readonly day: string;
  readonly replacement: string | null;
}

const FIELDS = ["shutdown_date", "replacement"] as const;

function endOf({ shutdown_date: day, replacement }: Model): EndDraft {
  return { day: day ?? "", replacement };
}

function isComplete({ day, replacement }: EndDraft): boolean {
  return day !== "" && replacement !== null;
}

function toEnd({ day, replacement }: EndDraft): { readonly shutdown_date: string; readonly replacement: string } {
  return { shutdown_date: day, replacement: replacement ?? "" };
}

function shortName({ id }: Model): string {
  return id.length <= 40 ? id : "it";
}

interface EndFieldsProps {
  readonly end: EndDraft;
  readonly onEnd: (end: EndDraft) => void;
  readonly error: Error | null;
}

function EndFields({ end, onEnd, error }: EndFieldsProps): ReactNode {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Shutdown date"
        type="date"
        value={end.day}
        onChange={({ target }) => onEnd({ ...end, day: target.value })}
        min={new Date().toISOString().slice(0, 10)}
        required
        hint="The day on which it is meant to be retired."
        error={refusalAt(error, "shutdown_date")}
      />
      <ModelPicker
        label="Replacement"
        state="available"
        value={end.replacement}
        onPick={(replacement) => onEnd({ ...end, replacement })}
        hint="What callers are told to use instead."
        error={refusalAt(error, "replacement")}
      />
    </div>
  );
}

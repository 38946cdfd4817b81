import { useState, type ReactNode } from "react";
import type { Model } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { ModelPicker } from "../../parts/inputs/resource-pickers.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";

interface DeprecateDialogProps {
  readonly model: Model;
  readonly onClose: () => void;
}

/** Deprecates a model, or changes the shutdown date of a deprecated model. */
export function DeprecateDialog(props: DeprecateDialogProps): ReactNode {
  // Fixed when the dialog opens: a refetch after the change must not swap its content while it closes.
  const [isNew] = useState(props.model.state === "available");
  return isNew ? <Deprecate {...props} /> : <ChangeShutdown {...props} />;
}

/** The impact on callers is shown before the deprecation is confirmed. */
function Deprecate({ model, onClose }: DeprecateDialogProps): ReactNode {
  const [shutdown, setShutdown] = useState(() => shutdownOf(model));
  const deprecate = useApiMutation("deprecateModel");
  const input = { path: { id: model.id }, body: toBody(shutdown) };
  const preview = usePreview("deprecateModel", input, isComplete(shutdown) && !deprecate.isPending && !deprecate.isSuccess);
  const error = deprecate.error ?? preview.error;
  const deprecated = (): void => {
    toast(`${model.id} is deprecated.`);
    onClose();
  };
  return (
    <FormDialog
      wide
      title={`Deprecate ${model.id}?`}
      about="The model keeps working. Callers are notified in the model list, in response headers and in the changelog. This cannot be undone."
      action={`Deprecate${buttonSuffix(model)}`}
      canSubmit={isComplete(shutdown) && !preview.isError}
      change={{ isPending: deprecate.isPending, error }}
      fields={FIELDS}
      onSubmit={() => deprecate.mutate(input, { onSuccess: deprecated })}
      onClose={onClose}
    >
      <ShutdownFields shutdown={shutdown} onChange={setShutdown} error={error} />
      {!preview.error && <PreviewOf of={preview} />}
    </FormDialog>
  );
}

function ChangeShutdown({ model, onClose }: DeprecateDialogProps): ReactNode {
  const [shutdown, setShutdown] = useState(() => shutdownOf(model));
  const update = useApiMutation("updateModel");
  const announced = (): void => {
    toast(`The shutdown date of ${model.id} was changed.`);
    onClose();
  };
  return (
    <FormDialog
      wide
      title={`Change the shutdown date of ${model.id}`}
      about="The new date is announced to callers, who may have planned for the earlier one."
      action="Change shutdown date"
      canSubmit={isComplete(shutdown)}
      change={update}
      fields={FIELDS}
      onSubmit={() => update.mutate({ path: { id: model.id }, body: toBody(shutdown) }, { onSuccess: announced })}
      onClose={onClose}
    >
      <ShutdownFields shutdown={shutdown} onChange={setShutdown} error={update.error} />
    </FormDialog>
  );
}

/** The shutdown date and the replacement in the form. */
interface ShutdownDraft {
  readonly day: string;
  readonly replacement: string | null;
}

const FIELDS = ["shutdown_date", "replacement"] as const;

function shutdownOf({ shutdown_date: day, replacement }: Model): ShutdownDraft {
  return { day: day ?? "", replacement };
}

function isComplete({ day, replacement }: ShutdownDraft): boolean {
  return day !== "" && replacement !== null;
}

function toBody({ day, replacement }: ShutdownDraft): { readonly shutdown_date: string; readonly replacement: string } {
  return { shutdown_date: day, replacement: replacement ?? "" };
}

/** A longer ID does not fit into the button. */
function buttonSuffix({ id }: Model): string {
  return id.length <= 40 ? ` ${id}` : "";
}

interface ShutdownFieldsProps {
  readonly shutdown: ShutdownDraft;
  readonly onChange: (shutdown: ShutdownDraft) => void;
  readonly error: Error | null;
}

function ShutdownFields({ shutdown, onChange, error }: ShutdownFieldsProps): ReactNode {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Shutdown date"
        type="date"
        value={shutdown.day}
        onChange={({ target }) => onChange({ ...shutdown, day: target.value })}
        min={new Date().toISOString().slice(0, 10)}
        required
        hint="The planned retirement date."
        error={refusalAt(error, "shutdown_date")}
      />
      <ModelPicker
        label="Replacement"
        state="available"
        value={shutdown.replacement}
        onPick={(replacement) => onChange({ ...shutdown, replacement })}
        hint="Suggested to callers as the successor."
        error={refusalAt(error, "replacement")}
      />
    </div>
  );
}

import type { UseMutationResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { PreviewOf } from "../parts/change-preview.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { refusalAt } from "../parts/refusal.ts";
import { changesTo } from "../platform/changes.ts";
import { usePreview } from "../platform/use-preview.ts";
import { isNarrower, type Allowance } from "./access-policy.ts";
import { ALLOWANCE_FIELDS, CapFields, LimitFields, readAllowanceFields } from "./limit-fields.tsx";
import { withPending } from "./model-input.tsx";
import { ModelsField } from "./models-field.tsx";

interface EditDialogProps {
  readonly title: string;
  readonly operation: "updateKey" | "updateAccount";
  readonly id: string;
  /** As it was when the edit was begun. */
  readonly begun: Allowance;
  readonly onClose: () => void;
  /** What else can be changed, with what the platform has against it; read by `readMore`. */
  readonly fields: (refusal: Error | null) => ReactNode;
  readonly fieldNames: readonly string[];
  readonly readMore: (form: HTMLFormElement) => object;
  readonly change: Pick<UseMutationResult, "isPending" | "error">;
  readonly save: (body: Partial<Allowance>) => void;
}

/** Changes what a key or an account may do. What would get narrower is looked at first: whom it would have hit. */
export function EditDialog(props: EditDialogProps): ReactNode {
  const { title, operation, id, begun, onClose, change, save } = props;
  const [models, setModels] = useState(begun.models);
  /** What is to be saved after a look at the preview. */
  const [wanted, setWanted] = useState<Partial<Allowance>>();
  const preview = usePreview(operation, { path: { id }, body: wanted ?? {} }, wanted !== undefined);
  const submit = (form: HTMLFormElement): void => {
    if (wanted) return save(wanted);
    const typed: Allowance = { models: withPending(form, models), ...readAllowanceFields(form), ...props.readMore(form) };
    const body = changesTo(begun, typed);
    if (Object.keys(body).length === 0) onClose();
    else if (isNarrower(begun, typed)) setWanted(body);
    else save(body);
  };
  // What a preview is refused for would be refused then too: it is shown at the field.
  const refusal = wanted ? null : (change.error ?? preview.error);
  return (
    <FormDialog
      title={title}
      wide
      action={wanted ? "Save the change" : "Save"}
      busy={wanted !== undefined && preview.isFetching}
      change={change}
      fields={wanted ? [] : [...props.fieldNames, ...ALLOWANCE_FIELDS]}
      onSubmit={submit}
      onClose={onClose}
      onBack={wanted ? () => setWanted(undefined) : undefined}
    >
      <div hidden={wanted !== undefined} className="flex flex-col gap-5">
        {props.fields(refusal)}
        <ModelsField models={models} onChange={setModels} error={refusalAt(refusal, "models")} />
        <LimitFields limits={begun.limits} refusal={refusal} />
        <CapFields caps={begun.caps} refusal={refusal} />
      </div>
      {wanted && <PreviewOf of={preview} />}
    </FormDialog>
  );
}

import type { UseMutationResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { PreviewOf } from "../parts/change-preview.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { refusalAt } from "../parts/refusal.ts";
import { changesTo } from "../platform/changes.ts";
import { usePreview } from "../platform/use-preview.ts";
import { isNarrower, type AccessPolicy } from "./access-policy.ts";
import { POLICY_FIELDS, CapFields, LimitFields, readLimitFields } from "./limit-fields.tsx";
import { withPending } from "./model-input.tsx";
import { ModelsField } from "./models-field.tsx";

interface EditPolicyDialogProps {
  readonly title: string;
  readonly operation: "updateKey" | "updateAccount";
  readonly id: string;
  /** The values when the dialog was opened. */
  readonly original: AccessPolicy;
  readonly onClose: () => void;
  /** What else can be changed, with what the platform has against it; read by `readMore`. */
  readonly fields: (refusal: Error | null) => ReactNode;
  readonly fieldNames: readonly string[];
  readonly readMore: (form: HTMLFormElement) => object;
  readonly change: Pick<UseMutationResult, "isPending" | "error">;
  readonly save: (body: Partial<AccessPolicy>) => void;
}

/** Changes what a key or an account may do. What would get narrower is looked at first: whom it would have hit. */
export function EditPolicyDialog(props: EditPolicyDialogProps): ReactNode {
  const { title, operation, id, original, onClose, change, save } = props;
  const [models, setModels] = useState(original.models);
  /** What is to be saved after a look at the preview. */
  const [wanted, setWanted] = useState<Partial<AccessPolicy>>();
  const preview = usePreview(operation, { path: { id }, body: wanted ?? {} }, wanted !== undefined);
  const submit = (form: HTMLFormElement): void => {
    if (wanted) return save(wanted);
    const typed: AccessPolicy = { models: withPending(form, models), ...readLimitFields(form), ...props.readMore(form) };
    const body = changesTo(original, typed);
    if (Object.keys(body).length === 0) onClose();
    else if (isNarrower(original, typed)) setWanted(body);
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
      fields={wanted ? [] : [...props.fieldNames, ...POLICY_FIELDS]}
      onSubmit={submit}
      onClose={onClose}
      onBack={wanted ? () => setWanted(undefined) : undefined}
    >
      <div hidden={wanted !== undefined} className="flex flex-col gap-5">
        {props.fields(refusal)}
        <ModelsField models={models} onChange={setModels} error={refusalAt(refusal, "models")} />
        <LimitFields limits={original.limits} refusal={refusal} />
        <CapFields caps={original.caps} refusal={refusal} />
      </div>
      {wanted && <PreviewOf of={preview} />}
    </FormDialog>
  );
}

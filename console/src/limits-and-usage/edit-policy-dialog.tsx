import type { UseMutationResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { PreviewOf } from "../parts/change-preview.tsx";
import { FormDialog } from "../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../parts/refusal.ts";
import { changesTo } from "../platform/changes.ts";
import { usePreview } from "../platform/use-preview.ts";
import { isNarrower, type AccessPolicy } from "./access-policy.ts";
import { BreakdownFields } from "./breakdown-fields.tsx";
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
  /** Further fields with their errors; `readMore` reads their values. */
  readonly fields: (refusal: Error | null) => ReactNode;
  readonly fieldNames: readonly string[];
  /** Fields whose change is always previewed. */
  readonly previewed?: readonly string[];
  readonly readMore: (form: HTMLFormElement) => object;
  readonly change: Pick<UseMutationResult, "isPending" | "error">;
  readonly save: (body: Partial<AccessPolicy>) => void;
}

/** Edits the access policy of a key or an account. A narrower policy or a change of prices is previewed first. */
export function EditPolicyDialog(props: EditPolicyDialogProps): ReactNode {
  const { title, operation, id, original, onClose, change, save } = props;
  const [models, setModels] = useState(original.models);
  /** The previewed change, which is saved next. */
  const [previewed, setPreviewed] = useState<Partial<AccessPolicy>>();
  const preview = usePreview(operation, { path: { id }, body: previewed ?? {} }, previewed !== undefined);
  const submit = (form: HTMLFormElement): void => {
    if (previewed) return save(previewed);
    const typed: AccessPolicy = { models: withPending(form, models), ...readLimitFields(form, original), ...props.readMore(form) };
    const body = changesTo(original, typed);
    if (Object.keys(body).length === 0) onClose();
    else if (isNarrower(original, typed) || props.previewed?.some((name) => name in body)) setPreviewed(body);
    else save(body);
  };
  // A change whose preview is rejected would itself be rejected: the error is shown at its field.
  const refusal = previewed ? null : (change.error ?? preview.error);
  return (
    <FormDialog
      title={title}
      wide
      action={previewed ? "Save change" : "Save"}
      busy={previewed !== undefined && preview.isFetching}
      change={change}
      fields={previewed ? [] : [...props.fieldNames, ...POLICY_FIELDS]}
      onSubmit={submit}
      onClose={onClose}
      onBack={previewed ? () => setPreviewed(undefined) : undefined}
    >
      <div hidden={previewed !== undefined} className="flex flex-col gap-5">
        {props.fields(refusal)}
        <ModelsField models={models} onChange={setModels} error={refusalAt(refusal, "models")} />
        <LimitFields limits={original.limits} refusal={refusal} />
        <CapFields caps={original.caps} refusal={refusal} />
        <BreakdownFields limits={original.limits} caps={original.caps} refusal={refusal} />
      </div>
      {previewed && <PreviewOf of={preview} />}
    </FormDialog>
  );
}

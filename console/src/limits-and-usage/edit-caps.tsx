import { useState, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { PreviewOf } from "../parts/change-preview.tsx";
import { FormDialog } from "../parts/overlays/form-dialog.tsx";
import { formFields } from "../parts/inputs/form.ts";
import { toast } from "../parts/overlays/toasts.tsx";
import { changesTo } from "../platform/changes.ts";
import { useApiMutation } from "../platform/use-api.ts";
import { usePreview } from "../platform/use-preview.ts";
import { SPEND_CAPS } from "../../../src/money/limits.ts";
import { isNarrower, readCaps, type AccessPolicy, type Caps } from "./access-policy.ts";
import { CapFields } from "./limit-fields.tsx";

interface EditCapsProps {
  readonly operation: "updateKey" | "updateAccount";
  readonly of: AccessPolicy & { readonly id: string; readonly name: string };
}

const FIELDS = SPEND_CAPS.map(({ name }) => `caps.${name}`);

/** Edits the spend caps. Each is shown beside the spend that it limits. */
export function EditCaps(props: EditCapsProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Edit caps
      </Button>
      {isOpen && <EditCapsDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A lower cap is previewed first. */
function EditCapsDialog({ operation, of, onClose }: EditCapsProps & { readonly onClose: () => void }): ReactNode {
  const [original] = useState(of);
  const [previewed, setPreviewed] = useState<{ readonly caps?: Caps }>();
  const path = { id: original.id };
  const update = useApiMutation(operation);
  const preview = usePreview(operation, { path, body: previewed ?? {} }, previewed !== undefined);
  const done = (): void => {
    toast("Saved. Applies from the next request.");
    onClose();
  };
  const save = (body: { readonly caps?: Caps }): void => update.mutate({ path, body }, { onSuccess: done });
  const submit = (form: HTMLFormElement): void => {
    if (previewed) return save(previewed);
    const caps = readCaps(SPEND_CAPS, formFields(form, ...SPEND_CAPS.map(({ name }) => name)));
    const body = changesTo({ caps: original.caps }, { caps });
    if (Object.keys(body).length === 0) onClose();
    else if (isNarrower(original, { ...original, caps })) setPreviewed(body);
    else save(body);
  };
  const refusal = previewed ? null : (update.error ?? preview.error);
  return (
    <FormDialog
      title={`Spend caps of “${original.name}”`}
      about="Alerts are raised at 80% of a cap, and when it is reached."
      action={previewed ? "Save change" : "Save"}
      busy={previewed !== undefined && preview.isFetching}
      change={update}
      fields={previewed ? [] : FIELDS}
      onSubmit={submit}
      onClose={onClose}
      onBack={previewed ? () => setPreviewed(undefined) : undefined}
    >
      <div hidden={previewed !== undefined}>
        <CapFields caps={original.caps} refusal={refusal} />
      </div>
      {previewed && <PreviewOf of={preview} />}
    </FormDialog>
  );
}

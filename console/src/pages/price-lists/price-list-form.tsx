import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { PriceList } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { formFields } from "../../parts/inputs/form.ts";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { draftOf, EMPTY_DRAFT, toBody, toChange, type PriceListDraft } from "./price-list-draft.ts";
import { PriceListFields, SHOWN_AT_FIELD } from "./price-list-fields.tsx";

export function CreatePriceList({ onClose }: { readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const create = useApiMutation("createPriceList");
  const submit = (form: HTMLFormElement): void => {
    const { id } = formFields(form, "id");
    const done = (): void => {
      toast(`Price list ${id} created. No account has it yet.`);
      void navigate({ to: "/price-lists/$id", params: { id } });
    };
    create.mutate({ body: { id, ...toBody(draft) } }, { onSuccess: done });
  };
  return (
    <FormDialog
      wide
      title="Create price list"
      about="Applies to assigned accounts."
      action="Create price list"
      change={create}
      fields={SHOWN_AT_FIELD}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="ID"
        name="id"
        required
        autoFocus
        maxLength={63}
        hint="a-z, 0-9, dot, dash and underscore. Cannot be changed."
        error={refusalAt(create.error, "id")}
      />
      <PriceListFields draft={draft} onChange={setDraft} error={create.error} />
    </FormDialog>
  );
}

/** A change takes two steps: its impact is previewed before it is saved. */
export function EditPriceList({ of, onClose }: { readonly of: PriceList; readonly onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState<PriceListDraft>(() => draftOf(of));
  const [wantsPreview, setWantsPreview] = useState(false);
  const update = useApiMutation("updatePriceList");
  const input = { path: { id: of.id }, body: toChange(draft) };
  const preview = usePreview("updatePriceList", input, wantsPreview && !update.isPending && !update.isSuccess);
  // An error is shown at its field, in the form.
  const isPreview = wantsPreview && !preview.error;
  const edit = (changed: PriceListDraft): void => {
    setWantsPreview(false);
    setDraft(changed);
  };
  const done = (): void => {
    toast(`${draft.name} was updated.`);
    onClose();
  };
  return (
    <FormDialog
      wide
      title={`Edit price list “${of.name}”`}
      about="Takes effect with the next request, or at the dates below."
      action={isPreview ? "Save" : "Preview impact"}
      canSubmit={!isPreview || preview.data !== undefined}
      busy={isPreview && preview.isFetching}
      change={{ isPending: update.isPending, error: update.error ?? preview.error }}
      fields={isPreview ? [] : SHOWN_AT_FIELD}
      onSubmit={() => (isPreview ? update.mutate(input, { onSuccess: done }) : setWantsPreview(true))}
      onClose={onClose}
      onBack={isPreview ? () => setWantsPreview(false) : undefined}
    >
      {isPreview ? <PreviewOf of={preview} /> : <PriceListFields draft={draft} onChange={edit} error={update.error ?? preview.error} />}
    </FormDialog>
  );
}

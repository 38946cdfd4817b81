import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { ChangePreview, Model, ShownModel } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { draftOf, emptyDraft, needsPreview, toCreate, toUpdate, type ModelDraft, type Pricing } from "./model-draft.ts";
import { ModelFields, SHOWN_AT_FIELD } from "./model-fields.tsx";

interface ModelFormProps {
  /** The model to edit; without it the form creates one. */
  readonly model?: ShownModel;
  /** The initial choice of the price field. */
  readonly pricing?: Pricing;
  readonly onClose: () => void;
}

export function ModelForm({ model, pricing = "keep", onClose }: ModelFormProps): ReactNode {
  return model ? <EditModel model={model} pricing={pricing} onClose={onClose} /> : <CreateModel onClose={onClose} />;
}

function CreateModel({ onClose }: { readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(emptyDraft);
  const create = useApiMutation("createModel");
  const submit = (): void => {
    create.mutate(
      { body: toCreate(draft) },
      {
        onSuccess: ({ id, price }) => {
          toast(price ? `${id} was created.` : `${id} was created without a price. It cannot be called yet.`);
          onClose();
          void navigate({ to: "/models/$id", params: { id } });
        },
      },
    );
  };
  return (
    <FormDialog
      wide
      title="Create model"
      about="The model can be called as soon as it is created. It is announced in the changelog."
      action="Create model"
      change={create}
      fields={SHOWN_AT_FIELD}
      onSubmit={submit}
      onClose={onClose}
    >
      <ModelFields draft={draft} onChange={setDraft} error={create.error} isNew />
    </FormDialog>
  );
}

/** A change of the price or the accounts takes two steps: its impact is previewed before it is saved. */
function EditModel({ model, pricing, onClose }: Required<ModelFormProps>): ReactNode {
  const [initial] = useState(model);
  const [draft, setDraft] = useState<ModelDraft>(() => ({ ...draftOf(model), pricing }));
  const [wantsPreview, setWantsPreview] = useState(false);
  const update = useApiMutation("updateModel");
  const body = toUpdate(draft, initial, model);
  const input = { path: { id: model.id }, body };
  const preview = usePreview("updateModel", input, wantsPreview && !update.isPending && !update.isSuccess);
  const isUnchanged = Object.keys(body).length === 0;
  // An error is shown at its field, in the form.
  const isPreview = wantsPreview && !preview.error;
  const edit = (changed: ModelDraft): void => {
    setWantsPreview(false);
    setDraft(changed);
  };
  const saved = (changed: Model | ChangePreview): void => {
    const isPriced = changed.price !== null;
    toast(isPriced ? `${model.id} was updated.` : `${model.id} was updated. It has no price and cannot be called.`);
    onClose();
  };
  const submit = (): void => {
    if (needsPreview(body) && !isPreview) setWantsPreview(true);
    else update.mutate(input, { onSuccess: saved });
  };
  return (
    <FormDialog
      wide
      title={`Edit ${model.id}`}
      about="Takes effect with the next request."
      action={needsPreview(body) && !isPreview ? "Preview impact" : "Save"}
      canSubmit={!isUnchanged && (!isPreview || preview.data !== undefined)}
      change={{ isPending: update.isPending, error: update.error ?? preview.error }}
      fields={isPreview ? [] : SHOWN_AT_FIELD}
      onSubmit={submit}
      onClose={onClose}
      onBack={isPreview ? () => setWantsPreview(false) : undefined}
    >
      {isPreview ? <PreviewOf of={preview} /> : <ModelFields draft={draft} onChange={edit} error={update.error ?? preview.error} />}
    </FormDialog>
  );
}

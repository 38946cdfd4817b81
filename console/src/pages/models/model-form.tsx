import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { ChangePreview, Model, ShownModel } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { usePreview } from "../../platform/use-preview.ts";
import { PreviewOf } from "../../parts/change-preview.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { toast } from "../../parts/toasts.tsx";
import { changesPrice, draftOf, emptyDraft, toCreate, toUpdate, type ModelDraft, type Pricing } from "./model-draft.ts";
import { ModelFields, SHOWN_AT_FIELD } from "./model-fields.tsx";

interface ModelFormProps {
  /** The one that is edited; a new one is created where there is none. */
  readonly model?: ShownModel;
  /** What is to become of its price, where that is what the form was opened for. */
  readonly pricing?: Pricing;
  readonly onClose: () => void;
}

export function ModelForm({ model, pricing = "keep", onClose }: ModelFormProps): ReactNode {
  return model ? <EditModel model={model} pricing={pricing} onClose={onClose} /> : <CreateModel onClose={onClose} />;
}

function CreateModel({ onClose }: { readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(emptyDraft);
  const create = useChange("createModel");
  const submit = (): void => {
    create.mutate(
      { body: toCreate(draft) },
      {
        onSuccess: ({ id, price }) => {
          toast(price ? `${id} can be called.` : `${id} was created, but has no price: it cannot be called yet.`);
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
      about="It can be called with the next request, and is announced."
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

/** An edit in two steps where the price becomes another: what that would have cost is looked at before it is saved. */
function EditModel({ model, pricing, onClose }: Required<ModelFormProps>): ReactNode {
  const [begun] = useState(model);
  const [draft, setDraft] = useState<ModelDraft>(() => ({ ...draftOf(model), pricing }));
  const [isPreviewed, setPreviewed] = useState(false);
  const update = useChange("updateModel");
  const body = toUpdate(draft, begun, model);
  const asked = { path: { id: model.id }, body };
  const preview = usePreview("updateModel", asked, isPreviewed && !update.isPending && !update.isSuccess);
  const isUnchanged = Object.keys(body).length === 0;
  // What is refused is put right where it was typed.
  const isLooking = isPreviewed && !preview.error;
  const edit = (changed: ModelDraft): void => {
    setPreviewed(false);
    setDraft(changed);
  };
  const saved = (changed: Model | ChangePreview): void => {
    const isPriced = changed.price !== null;
    toast(isPriced ? `${model.id} was changed.` : `${model.id} was changed. It has no price: it cannot be called.`);
    onClose();
  };
  const submit = (): void => {
    if (changesPrice(body) && !isLooking) setPreviewed(true);
    else update.mutate(asked, { onSuccess: saved });
  };
  return (
    <FormDialog
      wide
      title={`Edit ${model.id}`}
      about="In force with the next request."
      action={changesPrice(body) && !isLooking ? "Look at what it changes" : "Save"}
      canSubmit={!isUnchanged && (!isLooking || preview.data !== undefined)}
      change={{ isPending: update.isPending, error: update.error ?? preview.error }}
      fields={isLooking ? [] : SHOWN_AT_FIELD}
      onSubmit={submit}
      onClose={onClose}
      onBack={isLooking ? () => setPreviewed(false) : undefined}
    >
      {isLooking ? <PreviewOf of={preview} /> : <ModelFields draft={draft} onChange={edit} error={update.error ?? preview.error} />}
    </FormDialog>
  );
}

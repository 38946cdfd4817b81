import { useState, type ReactNode } from "react";
import type { ShownModel } from "../../../../platform-client/types.ts";
import { Button } from "../../parts/button.tsx";
import { Menu, type MenuItem } from "../../parts/overlays/menu.tsx";
import { DeprecateDialog } from "./deprecate-dialog.tsx";
import { ModelForm } from "./model-form.tsx";
import { isEditable } from "./format-model.ts";
import { ArchiveModel, CloneModel, DeleteModel, RestoreModel } from "./model-archive.tsx";
import { RetireDialog } from "./retire-dialog.tsx";

type OpenDialog = "edit" | "deprecate" | "retire" | keyof typeof MORE_DIALOGS;

const MORE_DIALOGS = { clone: CloneModel, archive: ArchiveModel, restore: RestoreModel, delete: DeleteModel } as const;

/** The buttons for operators on the page of a model. */
export function ModelActions({ model }: { readonly model: ShownModel }): ReactNode {
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = (): void => setDialog(undefined);
  const More = dialog !== undefined && dialog in MORE_DIALOGS ? MORE_DIALOGS[dialog as keyof typeof MORE_DIALOGS] : undefined;
  const item = (label: string, opens: OpenDialog, danger = false): MenuItem => ({ label, onSelect: () => setDialog(opens), danger });
  const isOwn = model.managed_by === "operator";
  const isArchived = model.archived_at != null;
  return (
    <>
      {isEditable(model) && (
        <>
          <Button onClick={() => setDialog("edit")}>Edit</Button>
          <Button onClick={() => setDialog("deprecate")}>{model.state === "available" ? "Deprecate" : "Change shutdown date"}</Button>
          <Button onClick={() => setDialog("retire")}>Retire</Button>
        </>
      )}
      <Menu
        label={`More actions for ${model.id}`}
        items={[
          item("Clone", "clone"),
          ...(isOwn && isArchived ? [item("Restore", "restore")] : []),
          ...(isOwn && !isArchived ? [item("Archive", "archive")] : []),
          ...(isOwn ? [item("Delete", "delete", true)] : []),
        ]}
      />
      {dialog === "edit" && <ModelForm model={model} onClose={close} />}
      {dialog === "deprecate" && <DeprecateDialog model={model} onClose={close} />}
      {dialog === "retire" && <RetireDialog model={model} onClose={close} onDeprecate={() => setDialog("deprecate")} />}
      {More && <More model={model} onClose={close} />}
    </>
  );
}

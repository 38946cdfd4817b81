import { useState, type ReactNode } from "react";
import type { ShownModel } from "../../../../platform-client/types.ts";
import { Button } from "../../parts/button.tsx";
import { DeprecateDialog } from "./deprecate-dialog.tsx";
import { ModelForm } from "./model-form.tsx";
import { isEditable } from "./format-model.ts";
import { RetireDialog } from "./retire-dialog.tsx";

type OpenDialog = "edit" | "deprecate" | "retire";

/** The buttons for operators on the page of a model. */
export function ModelActions({ model }: { readonly model: ShownModel }): ReactNode {
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = (): void => setDialog(undefined);
  if (!isEditable(model)) return null;
  return (
    <>
      <Button onClick={() => setDialog("edit")}>Edit</Button>
      <Button onClick={() => setDialog("deprecate")}>{model.state === "available" ? "Deprecate" : "Change shutdown date"}</Button>
      <Button onClick={() => setDialog("retire")}>Retire</Button>
      {dialog === "edit" && <ModelForm model={model} onClose={close} />}
      {dialog === "deprecate" && <DeprecateDialog model={model} onClose={close} />}
      {dialog === "retire" && <RetireDialog model={model} onClose={close} onDeprecate={() => setDialog("deprecate")} />}
    </>
  );
}

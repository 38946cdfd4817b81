import { useState, type ReactNode } from "react";
import type { ShownModel } from "../../platform/interface.ts";
import { Button } from "../../parts/button.tsx";
import { DeprecateDialog } from "./deprecate-dialog.tsx";
import { ModelForm } from "./model-form.tsx";
import { canBeChanged } from "./format-model.ts";
import { RetireDialog } from "./retire-dialog.tsx";

type Doing = "edit" | "deprecate" | "retire";

/** What an operator can do with a model. */
export function ModelActions({ model }: { readonly model: ShownModel }): ReactNode {
  const [doing, setDoing] = useState<Doing>();
  const close = (): void => setDoing(undefined);
  if (!canBeChanged(model)) return null;
  return (
    <>
      <Button onClick={() => setDoing("edit")}>Edit</Button>
      <Button onClick={() => setDoing("deprecate")}>{model.state === "available" ? "Deprecate" : "Change the end"}</Button>
      <Button onClick={() => setDoing("retire")}>Retire</Button>
      {doing === "edit" && <ModelForm model={model} onClose={close} />}
      {doing === "deprecate" && <DeprecateDialog model={model} onClose={close} />}
      {doing === "retire" && <RetireDialog model={model} onClose={close} onDeprecate={() => setDoing("deprecate")} />}
    </>
  );
}

import type { UseMutationResult } from "@tanstack/react-query";
import { useRef, useState, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { PreviewOf } from "../parts/change-preview.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../parts/dialog.tsx";
import { Notice } from "../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../parts/refusal.ts";
import { changesTo } from "../platform/changes.ts";
import { usePreview } from "../platform/use-preview.ts";
import { isNarrower, type Allowance } from "./allowance.ts";
import { ALLOWANCE_FIELDS, CapFields, LimitFields, readAllowanceFields } from "./allowance-fields.tsx";
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
  const form = useRef<HTMLFormElement>(null);
  const [models, setModels] = useState(begun.models);
  /** What is to be saved after a look at the preview. */
  const [wanted, setWanted] = useState<Partial<Allowance>>();
  const preview = usePreview(operation, { path: { id }, body: wanted ?? {} }, wanted !== undefined);
  const submit = (): void => {
    if (wanted) return save(wanted);
    const typed: Allowance = { models, ...readAllowanceFields(form.current!), ...props.readMore(form.current!) };
    const body = changesTo(begun, typed);
    if (Object.keys(body).length === 0) onClose();
    else if (isNarrower(begun, typed)) setWanted(body);
    else save(body);
  };
  // What a preview is refused for would be refused then too: it is shown at the field.
  const refusal = wanted ? null : (change.error ?? preview.error);
  const beside = refusalBeside(change.error, wanted ? [] : [...props.fieldNames, ...ALLOWANCE_FIELDS]);
  return (
    <Dialog open onClose={onClose} title={title} wide>
      <form
        ref={form}
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <DialogBody>
          <div hidden={wanted !== undefined} className="flex flex-col gap-5">
            {props.fields(refusal)}
            <ModelsField models={models} onChange={setModels} error={refusalAt(refusal, "models")} />
            <LimitFields limits={begun.limits} refusal={refusal} />
            <CapFields caps={begun.caps} refusal={refusal} />
          </div>
          {wanted && <PreviewOf of={preview} />}
          {beside && <Notice tone="bad">{beside}</Notice>}
        </DialogBody>
        <DialogFooter>
          {wanted ? <Button onClick={() => setWanted(undefined)}>Back</Button> : <Cancel onClick={onClose} />}
          <Button type="submit" weight="primary" busy={change.isPending || (wanted !== undefined && preview.isFetching)}>
            {wanted ? "Save the change" : "Save"}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

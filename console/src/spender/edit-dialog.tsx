import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { useRef, useState, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Dialog, DialogBody, DialogFooter } from "../parts/dialog.tsx";
import { refusalsOf } from "../parts/form.ts";
import { Notice } from "../parts/notice.tsx";
import type { ChangePreview } from "../platform/interface.ts";
import { isNarrower, type Allowance } from "./allowance.ts";
import { ALLOWANCE_FIELDS, CapFields, LimitFields, readAllowanceFields, type AllowanceField } from "./allowance-fields.tsx";
import { ShownPreview } from "./change-preview.tsx";
import { ModelsField } from "./models-field.tsx";

interface EditDialogProps<Field extends string> {
  readonly title: string;
  readonly before: Allowance;
  readonly onClose: () => void;
  /** What else can be changed: shown above, and read by `readMore`. */
  readonly fields: (at: (field: Field) => string | undefined) => ReactNode;
  readonly fieldNames: readonly Field[];
  readonly readMore: (form: HTMLFormElement) => object;
  readonly preview: (body: Allowance) => Promise<ChangePreview>;
  readonly change: Pick<UseMutationResult, "isPending" | "error">;
  readonly save: (body: Allowance) => void;
}

/** Changes what a key or an account may do. What would get narrower is looked at first: whom it would have hit. */
export function EditDialog<Field extends string>(props: EditDialogProps<Field>): ReactNode {
  const { title, before, onClose, change, save } = props;
  const form = useRef<HTMLFormElement>(null);
  const [models, setModels] = useState(before.models);
  const [wanted, setWanted] = useState<Allowance>();
  const preview = useMutation({ mutationFn: props.preview });
  const refusals = refusalsOf<Field | AllowanceField>(preview.error ?? change.error, ...props.fieldNames, ...ALLOWANCE_FIELDS);
  const isPreviewed = wanted !== undefined && preview.data !== undefined;
  const submit = (): void => {
    const body: Allowance = { models, ...readAllowanceFields(form.current!), ...props.readMore(form.current!) };
    if (!isNarrower(before, body)) return save(body);
    setWanted(body);
    preview.mutate(body);
  };
  const back = (): void => {
    setWanted(undefined);
    preview.reset();
  };
  return (
    <Dialog open onClose={onClose} title={title} wide>
      <form
        ref={form}
        className="flex min-h-0 flex-col"
        onSubmit={(event) => {
          event.preventDefault();
          if (isPreviewed) save(wanted);
          else submit();
        }}
      >
        <DialogBody>
          <div hidden={isPreviewed} className="flex flex-col gap-5">
            {props.fields(refusals.at)}
            <ModelsField models={models} onChange={setModels} error={refusals.at("models")} />
            <LimitFields limits={before.limits} refusals={refusals} />
            <CapFields caps={before.caps} refusals={refusals} />
          </div>
          {isPreviewed && <ShownPreview preview={preview.data} />}
          {refusals.elsewhere && <Notice tone="bad">{refusals.elsewhere}</Notice>}
        </DialogBody>
        <DialogFooter>
          {isPreviewed ? <Button onClick={back}>Back</Button> : <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" weight="primary" busy={change.isPending || preview.isPending}>
            {isPreviewed ? "Save the change" : "Save"}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

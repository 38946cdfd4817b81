import type { ReactNode } from "react";
import { FigureField, TextField } from "../../../parts/inputs/field.tsx";
import { refusalAt } from "../../../parts/refusal.ts";
import { UpstreamPicker } from "../../../parts/inputs/resource-pickers.tsx";
import type { MirrorDraft } from "./mirror-draft.ts";

interface MirrorFieldsProps {
  readonly draft: MirrorDraft;
  readonly onChange: (draft: MirrorDraft) => void;
  readonly error: Error | null;
}

/** The mirror of a model in its form. */
export function MirrorFields({ draft, onChange, error }: MirrorFieldsProps): ReactNode {
  return (
    <div role="group" aria-label="Mirror" className="grid gap-4 sm:grid-cols-3">
      <UpstreamPicker
        label="Mirror"
        value={draft.upstream}
        onPick={(upstream) => onChange({ ...draft, upstream })}
        isClearable
        placeholder="None"
        hint="Receives a copy of some requests, for comparison."
        error={refusalAt(error, "mirror.upstream")}
      />
      <TextField
        label="Model at the mirror"
        value={draft.model}
        onChange={({ target }) => onChange({ ...draft, model: target.value })}
        error={refusalAt(error, "mirror.model")}
      />
      <FigureField
        label="Mirrored requests, %"
        value={draft.percent}
        onChange={({ target }) => onChange({ ...draft, percent: target.value })}
        placeholder="5"
        error={refusalAt(error, "mirror.percent")}
      />
    </div>
  );
}

import type { ReactNode } from "react";
import { CheckField, TextField } from "../../parts/inputs/field.tsx";
import { Radios } from "../../parts/inputs/radios.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { ALERT_KINDS, ALERT_DESCRIPTIONS } from "./format-alert.ts";
import { DestinationFields, type WebhookFieldsProps } from "./destination-fields.tsx";

/** The fields that show their own errors. */
export const SHOWN_FIELDS = ["name", "url", "routing_key", "alerts"] as const;

export function WebhookFields({ draft, onDraft, error }: WebhookFieldsProps): ReactNode {
  return (
    <>
      <TextField
        label="Name"
        hint="The receiver, such as “on call”."
        required
        autoFocus
        maxLength={100}
        value={draft.name}
        onChange={({ target }) => onDraft({ ...draft, name: target.value })}
        error={refusalAt(error, "name")}
      />
      <DestinationFields draft={draft} onDraft={onDraft} error={error} />
      <KindsField draft={draft} onDraft={onDraft} error={error} />
    </>
  );
}

const ALERT_CHOICES = [
  { value: "all", label: "All alerts, including future types" },
  { value: "some", label: "Selected alerts" },
];

function KindsField({ draft, onDraft, error }: WebhookFieldsProps): ReactNode {
  const problem = refusalAt(error, "alerts");
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Alerts</legend>
      <Radios
        label="Alerts"
        name="kinds"
        choices={ALERT_CHOICES}
        value={draft.isAll ? "all" : "some"}
        onPick={(value) => onDraft({ ...draft, isAll: value === "all" })}
      />
      {!draft.isAll && (
        <div className="grid gap-1 sm:grid-cols-2">
          {ALERT_KINDS.map((kind) => (
            <CheckField
              key={kind}
              label={ALERT_DESCRIPTIONS[kind].title}
              title={ALERT_DESCRIPTIONS[kind].about}
              checked={draft.kinds.includes(kind)}
              onChange={({ target }) =>
                onDraft({ ...draft, kinds: target.checked ? [...draft.kinds, kind] : draft.kinds.filter((other) => other !== kind) })
              }
            />
          ))}
        </div>
      )}
      {problem && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

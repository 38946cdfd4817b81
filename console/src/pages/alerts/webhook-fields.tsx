import type { ReactNode } from "react";
import { CheckField, TextField } from "../../parts/field.tsx";
import { Radios } from "../../parts/radios.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { ALERT_KINDS, ALERT_DESCRIPTIONS } from "./format-alert.ts";
import type { WebhookDraft } from "./webhook-draft.ts";

interface WebhookFieldsProps {
  readonly draft: WebhookDraft;
  readonly onDraft: (draft: WebhookDraft) => void;
  readonly error: Error | null;
}

/** The fields that show their own errors. */
export const SHOWN_FIELDS = ["name", "url", "alerts"] as const;

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
      <TextField
        label="URL"
        type="url"
        placeholder="https://hooks.example.com/tollgate"
        hint="Without a query string. Slack, PagerDuty and similar services need a small relay."
        required
        maxLength={2000}
        value={draft.url}
        onChange={({ target }) => onDraft({ ...draft, url: target.value })}
        error={refusalAt(error, "url")}
      />
      <CheckField
        label="Allow private network addresses"
        hint="Required for loopback and private IP addresses, which are otherwise rejected (SSRF protection)."
        checked={draft.isPrivate}
        onChange={({ target }) => onDraft({ ...draft, isPrivate: target.checked })}
      />
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

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

/** The fields whose refusals are shown at them. */
export const SHOWN_FIELDS = ["name", "url", "alerts"] as const;

export function WebhookFields({ draft, onDraft, error }: WebhookFieldsProps): ReactNode {
  return (
    <>
      <TextField
        label="Name"
        hint="Who is told, such as “on call”."
        required
        autoFocus
        maxLength={100}
        value={draft.name}
        onChange={({ target }) => onDraft({ ...draft, name: target.value })}
        error={refusalAt(error, "name")}
      />
      <TextField
        label="Address"
        type="url"
        placeholder="https://hooks.example.com/tollgate"
        hint="Without a query. Chats and pagers need a small relay between."
        required
        maxLength={2000}
        value={draft.url}
        onChange={({ target }) => onDraft({ ...draft, url: target.value })}
        error={refusalAt(error, "url")}
      />
      <CheckField
        label="It is on this machine or a private network"
        hint="Such addresses are refused otherwise."
        checked={draft.isPrivate}
        onChange={({ target }) => onDraft({ ...draft, isPrivate: target.checked })}
      />
      <KindsField draft={draft} onDraft={onDraft} error={error} />
    </>
  );
}

const HOW_MANY = [
  { value: "all", label: "All of them, also kinds that come later" },
  { value: "some", label: "Only these" },
];

function KindsField({ draft, onDraft, error }: WebhookFieldsProps): ReactNode {
  const wrong = refusalAt(error, "alerts");
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Alerts that it is sent</legend>
      <Radios
        label="How many"
        name="kinds"
        choices={HOW_MANY}
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
      {wrong && (
        <p role="alert" className="text-sm text-bad">
          {wrong}
        </p>
      )}
    </fieldset>
  );
}

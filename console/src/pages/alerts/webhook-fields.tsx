import type { ReactNode } from "react";
import { CheckField, TextField, SelectField } from "../../parts/inputs/field.tsx";
import { Radios } from "../../parts/inputs/radios.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { ALERT_KINDS, ALERT_DESCRIPTIONS } from "./format-alert.ts";
import { CHANNEL_CHOICES, CHANNELS, hasSecretUrl, type ChannelKind } from "./channel-kinds.ts";
import type { WebhookDraft } from "./webhook-draft.ts";

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

interface WebhookFieldsProps {
  readonly draft: WebhookDraft;
  readonly onDraft: (draft: WebhookDraft) => void;
  readonly error: Error | null;
}

/** Where the alerts are sent: the fields depend on the kind. */
function DestinationFields({ draft, onDraft, error }: WebhookFieldsProps): ReactNode {
  const { kind, isEdit } = draft;
  const { placeholder, hint } = CHANNELS[kind];
  const keepsUrl = isEdit && hasSecretUrl(kind);
  return (
    <>
      {!isEdit && (
        <SelectField
          label="Send to"
          choices={CHANNEL_CHOICES}
          value={kind}
          onChange={({ target }) => onDraft({ ...draft, kind: target.value as ChannelKind })}
        />
      )}
      {kind === "pagerduty" && <RoutingKeyField draft={draft} onDraft={onDraft} error={error} />}
      <TextField
        label={kind === "email" ? "Recipients" : "URL"}
        type={kind === "email" ? "text" : "url"}
        placeholder={placeholder}
        hint={keepsUrl ? "Leave empty to keep the current URL, which is not shown." : hint}
        required={kind !== "pagerduty" && !keepsUrl}
        maxLength={2000}
        value={draft.url}
        onChange={({ target }) => onDraft({ ...draft, url: target.value })}
        error={refusalAt(error, "url")}
      />
      {kind !== "email" && (
        <CheckField
          label="Allow private network addresses"
          hint="Required for loopback and private IP addresses, which are otherwise rejected (SSRF protection)."
          checked={draft.isPrivate}
          onChange={({ target }) => onDraft({ ...draft, isPrivate: target.checked })}
        />
      )}
    </>
  );
}

function RoutingKeyField({ draft, onDraft, error }: WebhookFieldsProps): ReactNode {
  return (
    <TextField
      label="Integration key"
      type="password"
      hint={
        draft.isEdit
          ? "Leave empty to keep the current key."
          : "Of the integration “Events API v2” of a PagerDuty service. It is stored encrypted."
      }
      required={!draft.isEdit}
      maxLength={32}
      value={draft.routingKey}
      onChange={({ target }) => onDraft({ ...draft, routingKey: target.value })}
      error={refusalAt(error, "routing_key")}
    />
  );
}

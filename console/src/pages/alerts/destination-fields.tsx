import type { ReactNode } from "react";
import { CheckField, SelectField, TextField } from "../../parts/inputs/field.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { CHANNEL_CHOICES, CHANNELS, hasSecretUrl, type ChannelKind } from "./channel-kinds.ts";
import type { WebhookDraft } from "./webhook-draft.ts";

export interface WebhookFieldsProps {
  readonly draft: WebhookDraft;
  readonly onDraft: (draft: WebhookDraft) => void;
  readonly error: Error | null;
}

/** Where the alerts go: the fields depend on the kind. */
export function DestinationFields({ draft, onDraft, error }: WebhookFieldsProps): ReactNode {
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

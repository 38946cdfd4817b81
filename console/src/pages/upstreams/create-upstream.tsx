import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Provider } from "../../../../platform-client/types.ts";
import { useApiMutation, useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogBody, DialogFooter } from "../../parts/overlays/dialog.tsx";
import { CheckField, SelectField, TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { HeaderFields } from "../../parts/inputs/header-fields.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { Loading } from "../../parts/states.tsx";
import { ConnectionResult } from "./connection-section.tsx";
import { IDENTITY_FIELD_NAMES, type Authorization } from "./identity-draft.ts";
import { IdentityFields } from "./identity-fields.tsx";
import { hasApiVersion, hintOfPlaceholders, toCreate, withProvider, type UpstreamDraft } from "./upstream-draft.ts";
import { AUTHORIZATIONS } from "./format-identity.ts";
import { API_FORMATS } from "./format-upstream.ts";

const FIELDS = ["id", "base_url", "api_version", "credential", "credentials", "headers", ...IDENTITY_FIELD_NAMES];
const EMPTY: UpstreamDraft = {
  provider: "",
  dialect: "openai",
  id: "",
  baseUrl: "",
  apiVersion: "",
  authorization: "credential",
  credential: "",
  identity: {},
  allowsPrivate: false,
  headers: [],
};
const FORMAT_CHOICES = (["openai", "responses", "anthropic", "gemini", "bedrock"] as const).map((value) => ({
  value,
  label: API_FORMATS[value],
}));

/** Creates an upstream from a provider and a credential, and tests the connection. */
export function CreateUpstream({ onClose }: { readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const { data: about } = useApiQuery("showAbout", {});
  const [draft, setDraft] = useState(EMPTY);
  const create = useApiMutation("createUpstream");
  const test = useApiMutation("testUpstream");
  const providers = about?.providers ?? [];
  const submit = (): void => {
    const body = toCreate(
      draft,
      providers.find(({ id }) => id === draft.provider),
    );
    create.mutate({ body }, { onSuccess: ({ id }) => test.mutate({ path: { id } }) });
  };
  const createdId = create.data?.id;
  const open = (): void => {
    onClose();
    if (createdId !== undefined) void navigate({ to: "/upstreams/$id", params: { id: createdId } });
  };
  if (createdId !== undefined) {
    return (
      <Dialog open onClose={onClose} title={`${createdId} was created`} about="Models can now have routes to it.">
        <DialogBody>
          {test.isPending && <Loading lines={2} />}
          {test.data && <ConnectionResult test={test.data} />}
          {test.error && <Notice tone="bad">{test.error.message}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Button weight="primary" onClick={open}>
            Open upstream
          </Button>
        </DialogFooter>
      </Dialog>
    );
  }
  return (
    <FormDialog title="Create upstream" action="Create upstream" change={create} fields={FIELDS} onSubmit={submit} onClose={onClose}>
      <UpstreamFields draft={draft} onChange={setDraft} providers={providers} error={create.error} />
    </FormDialog>
  );
}

interface UpstreamFieldsProps {
  readonly draft: UpstreamDraft;
  readonly onChange: (draft: UpstreamDraft) => void;
  readonly providers: readonly Provider[];
  readonly error: Error | null;
}

function UpstreamFields({ draft, onChange, providers, error }: UpstreamFieldsProps): ReactNode {
  const set = (changed: Partial<UpstreamDraft>): void => onChange({ ...draft, ...changed });
  const find = (wanted: string): Provider | undefined => providers.find(({ id }) => id === wanted);
  const provider = find(draft.provider);
  return (
    <>
      <SelectField
        label="Provider"
        choices={[{ value: "", label: "Custom server" }, ...providers.map(({ id, name }) => ({ value: id, label: name }))]}
        value={draft.provider}
        onChange={({ target }) => onChange(withProvider(draft, find(target.value), provider))}
        autoFocus
        hint={provider?.note ?? undefined}
      />
      {!provider && (
        <SelectField
          label="API format"
          choices={FORMAT_CHOICES}
          value={draft.dialect}
          onChange={({ target }) => set({ dialect: target.value as UpstreamDraft["dialect"] })}
        />
      )}
      <TextField
        label="ID"
        value={draft.id}
        onChange={({ target }) => set({ id: target.value })}
        required
        hint="Identifies the upstream in routes. It cannot be changed later."
        error={refusalAt(error, "id")}
      />
      <TextField
        label="Base URL"
        value={draft.baseUrl}
        onChange={({ target }) => set({ baseUrl: target.value })}
        required
        placeholder="https://api.example.com/v1"
        hint={hintOfPlaceholders(draft.baseUrl, draft.authorization)}
        error={refusalAt(error, "base_url")}
      />
      {hasApiVersion(provider?.id) && (
        <ApiVersionField value={draft.apiVersion} onChange={(apiVersion) => set({ apiVersion })} error={error} />
      )}
      <SelectField
        label="Authentication"
        choices={AUTHORIZATIONS}
        value={draft.authorization}
        onChange={({ target }) => set({ authorization: target.value as Authorization })}
      />
      {draft.authorization === "credential" ? (
        <CredentialField draft={draft} onChange={onChange} provider={provider} error={error} />
      ) : (
        <IdentityFields kind={draft.authorization} draft={draft.identity} onChange={(identity) => set({ identity })} error={error} />
      )}
      <HeaderFields
        headers={draft.headers}
        onChange={(headers) => set({ headers })}
        hint="Values are encrypted and not shown again."
        error={refusalAt(error, "headers")}
      />
      <PrivateField isAllowed={draft.allowsPrivate} onChange={(allowsPrivate) => set({ allowsPrivate })} />
    </>
  );
}

interface CredentialFieldProps extends Omit<UpstreamFieldsProps, "providers"> {
  readonly provider: Provider | undefined;
}

function CredentialField({ draft, onChange, provider, error }: CredentialFieldProps): ReactNode {
  return (
    <TextField
      label={provider && !provider.needs_credential ? "Credential (optional)" : "Credential"}
      type="password"
      autoComplete="off"
      value={draft.credential}
      onChange={({ target }) => onChange({ ...draft, credential: target.value })}
      required={provider?.needs_credential ?? false}
      hint={`Stored encrypted and never shown again.${provider?.variable ? ` Usual environment variable: ${provider.variable}.` : ""}`}
      error={refusalAt(error, "credential")}
    />
  );
}

interface ApiVersionFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: Error | null;
}

/** The version of the Azure API. */
export function ApiVersionField({ value, onChange, error }: ApiVersionFieldProps): ReactNode {
  return (
    <TextField
      label="API version (optional)"
      value={value}
      onChange={({ target }) => onChange(target.value)}
      hint="Such as 2024-10-21, or preview for the v1 API. Empty: the preset's version."
      error={refusalAt(error, "api_version")}
    />
  );
}

/** Allows requests to this machine and to private networks. Off by default, to prevent SSRF. */
export function PrivateField({
  isAllowed,
  onChange,
}: {
  readonly isAllowed: boolean;
  readonly onChange: (isAllowed: boolean) => void;
}): ReactNode {
  return (
    <CheckField
      label="Allow private network addresses"
      hint="Required for servers on this machine or in a private network."
      checked={isAllowed}
      onChange={({ target }) => onChange(target.checked)}
    />
  );
}

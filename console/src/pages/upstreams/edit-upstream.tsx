import { useState, type ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { FigureField, SelectField, TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { HeaderFields } from "../../parts/inputs/header-fields.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { ApiVersionField, PrivateField } from "./create-upstream.tsx";
import { TimeoutFields } from "./handling/timeout-fields.tsx";
import { UnknownParametersField } from "./handling/unknown-parameters-field.tsx";
import { AUTHORIZATIONS } from "./format-identity.ts";
import { IDENTITY_FIELD_NAMES, type Authorization } from "./identity-draft.ts";
import { IdentityFields } from "./identity-fields.tsx";
import { editedAuthorization, editOf, hasApiVersion, toUpdate, type UpstreamEdit } from "./upstream-draft.ts";

const FIELDS = [
  "base_url",
  "api_version",
  "organization",
  "project",
  "credential",
  "headers",
  "concurrency",
  "timeouts",
  ...IDENTITY_FIELD_NAMES,
];
const KEEP = { value: "", label: "Unchanged" };

export function EditUpstream({ upstream, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const [initial] = useState(upstream);
  const [edit, setEdit] = useState(() => editOf(initial));
  const update = useApiMutation("updateUpstream");
  const body = toUpdate(edit, initial);
  const saved = (): void => {
    toast(`${initial.id} was updated.`);
    onClose();
  };
  return (
    <FormDialog
      wide
      title={`Edit ${initial.id}`}
      about="Takes effect with the next request."
      action="Save"
      canSubmit={Object.keys(body).length > 0}
      change={update}
      fields={FIELDS}
      onSubmit={() => update.mutate({ path: { id: initial.id }, body }, { onSuccess: saved })}
      onClose={onClose}
    >
      <EditFields
        edit={edit}
        onEdit={setEdit}
        authorization={editedAuthorization(edit, initial)}
        hasVersion={hasApiVersion(initial.preset)}
        isOpenai={initial.dialect === "openai" || initial.dialect === "responses"}
        needsCredential={initial.credentials.length > 0}
        error={update.error}
      />
    </FormDialog>
  );
}

interface EditFieldsProps {
  readonly edit: UpstreamEdit;
  readonly onEdit: (edit: UpstreamEdit) => void;
  /** Which of them is replaced: the credential or the identity. */
  readonly authorization: Authorization | undefined;
  readonly hasVersion: boolean;
  readonly isOpenai: boolean;
  readonly needsCredential: boolean;
  readonly error: Error | null;
}

function EditFields({ edit, onEdit, authorization, hasVersion, isOpenai, needsCredential, error }: EditFieldsProps): ReactNode {
  const set = (changed: Partial<UpstreamEdit>): void => onEdit({ ...edit, ...changed });
  return (
    <>
      <TextField
        label="Base URL"
        value={edit.baseUrl}
        onChange={({ target }) => set({ baseUrl: target.value })}
        required
        error={refusalAt(error, "base_url")}
      />
      {hasVersion && <ApiVersionField value={edit.apiVersion} onChange={(apiVersion) => set({ apiVersion })} error={error} />}
      <SelectField
        label="Authentication"
        choices={[KEEP, ...AUTHORIZATIONS]}
        value={authorization ?? ""}
        onChange={({ target }) => set({ authorization: (target.value || undefined) as Authorization | undefined })}
        hint={
          authorization && authorization !== "credential"
            ? "Enter the secrets again: they are only used at the base URL that they were entered for."
            : undefined
        }
      />
      {authorization !== undefined && authorization !== "credential" && (
        <IdentityFields kind={authorization} draft={edit.identity} onChange={(identity) => set({ identity })} error={error} />
      )}
      {authorization === "credential" && (
        <TextField
          label="Credential"
          type="password"
          autoComplete="off"
          value={edit.credential}
          onChange={({ target }) => set({ credential: target.value })}
          required={needsCredential}
          hint="Required with a new base URL: a credential is only sent to the URL it was entered for."
          error={refusalAt(error, "credential")}
        />
      )}
      <ConcurrencyFields edit={edit} onEdit={onEdit} error={error} />
      <TimeoutFields draft={edit.timeouts} onChange={(timeouts) => set({ timeouts })} placeholder="Default" error={error} />
      <UnknownParametersField
        value={edit.unknownParameters}
        onChange={(unknownParameters) => set({ unknownParameters })}
        fallback="As the API format of the upstream does"
      />
      {isOpenai && <OrganizationFields edit={edit} onEdit={onEdit} error={error} />}
      <HeaderFields
        headers={edit.headers}
        onChange={(headers) => set({ headers })}
        hint="Values are encrypted and not shown again. With a new base URL, enter them again."
        error={refusalAt(error, "headers")}
      />
      <PrivateField isAllowed={edit.allowsPrivate} onChange={(allowsPrivate) => set({ allowsPrivate })} />
    </>
  );
}

function ConcurrencyFields({ edit, onEdit, error }: Pick<EditFieldsProps, "edit" | "onEdit" | "error">): ReactNode {
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
      <FigureField
        label="Max concurrent requests"
        value={edit.maxCalls}
        onChange={({ target }) => onEdit({ ...edit, maxCalls: target.value })}
        error={refusalAt(error, "concurrency.max_calls")}
      />
      <FigureField
        label="Max queued requests"
        value={edit.maxQueued}
        onChange={({ target }) => onEdit({ ...edit, maxQueued: target.value })}
        error={refusalAt(error, "concurrency.max_queued")}
      />
      <FigureField
        label="Max queue time, ms"
        value={edit.maxWait}
        onChange={({ target }) => onEdit({ ...edit, maxWait: target.value })}
        error={refusalAt(error, "concurrency.max_wait_ms")}
      />
    </div>
  );
}

function OrganizationFields({ edit, onEdit, error }: Pick<EditFieldsProps, "edit" | "onEdit" | "error">): ReactNode {
  return (
    <div className="grid grid-cols-2 gap-4">
      <TextField
        label="OpenAI organization"
        value={edit.organization}
        onChange={({ target }) => onEdit({ ...edit, organization: target.value })}
        error={refusalAt(error, "organization")}
      />
      <TextField
        label="OpenAI project"
        value={edit.project}
        onChange={({ target }) => onEdit({ ...edit, project: target.value })}
        error={refusalAt(error, "project")}
      />
    </div>
  );
}

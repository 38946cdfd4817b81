import { useState, type ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/toasts.tsx";
import { describeIdentity } from "./format-identity.ts";
import { ConnectionResult } from "./connection-section.tsx";

/** Rotates the credential of an upstream. The new one is tested while the old one is still in use. */
export function ReplaceCredential({ upstream, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const { id, credentials } = upstream;
  const [credential, setCredential] = useState("");
  const test = useApiMutation("testCredential");
  const replace = useApiMutation("replaceCredential");
  const verb = credentials.length > 0 ? "Replace" : "Set";
  const error = replace.error ?? test.error;
  const input = { path: { id }, body: { credential: credential.trim() } };
  const replaced = (): void => {
    toast(`The credential of ${id} was ${credentials.length > 0 ? "replaced" : "set"}.`);
    onClose();
  };
  const submit = (): void => {
    if (test.data) replace.mutate(input, { onSuccess: replaced });
    else test.mutate(input);
  };
  const type = (text: string): void => {
    setCredential(text);
    test.reset();
    replace.reset();
  };
  return (
    <FormDialog
      title={`${verb} the credential of ${id}`}
      action={test.data ? (test.data.ok ? verb : `${verb} anyway`) : "Test credential"}
      weight={test.data && !test.data.ok ? "danger" : "primary"}
      busy={test.isPending}
      change={{ isPending: replace.isPending, error }}
      fields={["credential"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="New credential"
        type="password"
        autoComplete="off"
        value={credential}
        onChange={({ target }) => type(target.value)}
        required
        autoFocus
        hint="Stored encrypted and never shown again. Requests in flight keep the current one."
        error={refusalAt(error, "credential")}
      />
      {describeIdentity(upstream) !== undefined && <Notice tone="warn">Replaces the identity by a fixed credential.</Notice>}
      {credentials.length > 1 && <Notice tone="warn">Replaces all {credentials.length} current credentials.</Notice>}
      {test.data && <ConnectionResult test={test.data} />}
    </FormDialog>
  );
}

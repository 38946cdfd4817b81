import { useState, type ReactNode } from "react";
import type { Upstream } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/toasts.tsx";
import { ConnectionOutcome } from "./connection-section.tsx";

/** Rotates the credential of an upstream: the new one is tried while the old one still serves. */
export function ReplaceCredential({ upstream, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const { id, credentials } = upstream;
  const [credential, setCredential] = useState("");
  const test = useChange("testCredential");
  const replace = useChange("replaceCredential");
  const error = replace.error ?? test.error;
  const asked = { path: { id }, body: { credential: credential.trim() } };
  const replaced = (): void => {
    toast(`${id} has a new credential.`);
    onClose();
  };
  const submit = (): void => {
    if (test.data) replace.mutate(asked, { onSuccess: replaced });
    else test.mutate(asked);
  };
  const type = (text: string): void => {
    setCredential(text);
    test.reset();
    replace.reset();
  };
  return (
    <FormDialog
      title={`${credentials.length > 0 ? "Replace" : "Set"} the credential of ${id}`}
      action={test.data ? (test.data.ok ? "Replace" : "Replace all the same") : "Test it"}
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
        hint="It is sealed, and never shown again. Calls under way keep the one they began with."
        error={refusalAt(error, "credential")}
      />
      {credentials.length > 1 && <Notice tone="warn">It takes the place of all {credentials.length} that are set.</Notice>}
      {test.data && <ConnectionOutcome test={test.data} />}
    </FormDialog>
  );
}

import { useState, type ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { ConnectionResult } from "./connection-section.tsx";
import { describeIdentity } from "./format-identity.ts";
import { maskedCredential } from "./format-upstream.ts";

/** What happens with the entered credential: it replaces all credentials, is added, or replaces one of them. */
export type CredentialEntry = { readonly kind: "replace" } | { readonly kind: "add" } | { readonly kind: "rotate"; readonly last4: string };

interface EnterCredentialProps {
  readonly upstream: Upstream;
  readonly entry: CredentialEntry;
  readonly onClose: () => void;
}

/** Asks for a credential of an upstream. It is tested while the current ones are still in use. */
export function EnterCredential({ upstream, entry, onClose }: EnterCredentialProps): ReactNode {
  const { id } = upstream;
  const [credential, setCredential] = useState("");
  const test = useApiMutation("testCredential");
  const save = useSave(upstream, entry, onClose);
  const { verb, title } = wordsOf(upstream, entry);
  const error = save.error ?? test.error;
  const submit = (): void => {
    if (test.data) save.run(credential.trim());
    else test.mutate({ path: { id }, body: { credential: credential.trim() } });
  };
  const type = (text: string): void => {
    setCredential(text);
    test.reset();
    save.reset();
  };
  return (
    <FormDialog
      title={title}
      action={test.data ? (test.data.ok ? verb : `${verb} anyway`) : "Test credential"}
      weight={test.data && !test.data.ok ? "danger" : "primary"}
      busy={test.isPending}
      change={{ isPending: save.isPending, error }}
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
      <EntryNotice upstream={upstream} entry={entry} />
      {test.data && <ConnectionResult test={test.data} />}
    </FormDialog>
  );
}

function EntryNotice({ upstream, entry }: Omit<EnterCredentialProps, "onClose">): ReactNode {
  const { length } = upstream.credentials;
  if (entry.kind !== "replace") return null;
  if (describeIdentity(upstream) !== undefined) return <Notice tone="warn">Replaces the identity by a fixed credential.</Notice>;
  return length > 1 && <Notice tone="warn">Replaces all {length} current credentials.</Notice>;
}

interface Save {
  readonly run: (credential: string) => void;
  readonly reset: () => void;
  readonly isPending: boolean;
  readonly error: Error | null;
}

/** A rotation adds the new credential before the old one is removed, so that the upstream always has a working credential. */
function useSave({ id, credentials }: Upstream, entry: CredentialEntry, onClose: () => void): Save {
  const replace = useApiMutation("replaceCredential");
  const add = useApiMutation("addCredential");
  const remove = useApiMutation("removeCredential");
  const saved = (done: string): void => {
    toast(done);
    onClose();
  };
  const set = `The credential of ${id} was ${credentials.length > 0 ? "replaced" : "set"}.`;
  const run = (credential: string): void => {
    const input = { path: { id }, body: { credential } };
    if (entry.kind === "replace") {
      replace.mutate(input, { onSuccess: () => saved(set) });
    } else if (entry.kind === "add") {
      add.mutate(input, { onSuccess: () => saved(`A credential was added to ${id}.`) });
    } else {
      const removeOld = (): void =>
        remove.mutate({ path: { id }, query: { last4: entry.last4 } }, { onSuccess: () => saved(`A credential of ${id} was rotated.`) });
      if (add.isSuccess) removeOld();
      else add.mutate(input, { onSuccess: removeOld });
    }
  };
  const all = [replace, add, remove];
  return {
    run,
    reset: () => all.forEach((each) => each.reset()),
    isPending: all.some((each) => each.isPending),
    error: replace.error ?? add.error ?? remove.error,
  };
}

function wordsOf({ id, credentials }: Upstream, entry: CredentialEntry): { readonly verb: string; readonly title: string } {
  if (entry.kind === "add") return { verb: "Add", title: `Add a credential to ${id}` };
  if (entry.kind === "rotate") return { verb: "Rotate", title: `Rotate ${maskedCredential(entry.last4)} of ${id}` };
  const verb = credentials.length > 0 ? "Replace" : "Set";
  return { verb, title: `${verb} the credential of ${id}` };
}

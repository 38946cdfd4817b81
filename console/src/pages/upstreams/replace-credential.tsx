import { useState, type FormEvent, type ReactNode } from "react";
import type { Upstream } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../../parts/refusal.ts";
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
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (test.data) replace.mutate(asked, { onSuccess: replaced });
    else test.mutate(asked);
  };
  const type = (text: string): void => {
    setCredential(text);
    test.reset();
    replace.reset();
  };
  return (
    <Dialog open onClose={onClose} title={`${credentials.length > 0 ? "Replace" : "Set"} the credential of ${id}`}>
      <form onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
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
          {refusalBeside(error, ["credential"]) && <Notice tone="bad">{error?.message}</Notice>}
        </DialogBody>
        <DialogFooter>
          <Cancel onClick={onClose} />
          {test.data ? (
            <Button type="submit" weight={test.data.ok ? "primary" : "danger"} busy={replace.isPending}>
              {test.data.ok ? "Replace" : "Replace all the same"}
            </Button>
          ) : (
            <Button type="submit" weight="primary" busy={test.isPending}>
              Test it
            </Button>
          )}
        </DialogFooter>
      </form>
    </Dialog>
  );
}

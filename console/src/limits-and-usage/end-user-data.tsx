import { useMutation, type UseMutationResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { ErasedEndUser } from "../../../platform-client/types.ts";
import { Button } from "../parts/button.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../parts/overlays/dialog.tsx";
import { download } from "../parts/download.ts";
import { TextField } from "../parts/inputs/field.tsx";
import { inCount } from "../parts/format/format.ts";
import { Notice } from "../parts/notice.tsx";
import { refusalAt, refusalBeside } from "../parts/refusal.ts";
import { send, urlOf } from "../platform/call.ts";
import { useApiMutation } from "../platform/use-api.ts";

interface EndUserDataProps {
  readonly account: string;
  /** The initial end user; empty for any. */
  readonly user: string;
  readonly onClose: () => void;
}

/** Exports or erases the stored data of an end user of an account. For operators. */
export function EndUserData({ account, user: initial, onClose }: EndUserDataProps): ReactNode {
  const [user, setUser] = useState(initial);
  const [wantsErasure, setWantsErasure] = useState(false);
  const exported = useExport(account);
  const erase = useApiMutation("eraseEndUser");
  const error = erase.error ?? exported.error;
  const name = user.trim();
  const confirmed = (): void => erase.mutate({ path: { id: account }, body: { user: name } }, { onSettled: () => setWantsErasure(false) });
  return (
    <Dialog
      open
      onClose={onClose}
      title={wantsErasure ? `Erase ${name}?` : "End-user data"}
      about={`Of the account ${account}. Both actions are recorded in the audit log, with a hash of the end user.`}
    >
      <DialogBody>
        {wantsErasure ? (
          <p className="text-ink-2">
            The ledger and the request log lose the end user and its conversations, and its logged prompts and responses are deleted.
            Amounts stay. This cannot be undone.
          </p>
        ) : (
          <TextField
            label="End user"
            value={user}
            onChange={({ target }) => setUser(target.value)}
            hint="As clients name it, or as it is stored"
            error={refusalAt(error, "user")}
          />
        )}
        {refusalBeside(error, ["user"]) && <Notice tone="bad">{refusalBeside(error, ["user"])}</Notice>}
        {erase.data && !wantsErasure && <Erased counts={erase.data} />}
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={wantsErasure ? () => setWantsErasure(false) : onClose}>{wantsErasure ? "Back" : "Close"}</Cancel>
        {!wantsErasure && (
          <Button busy={exported.isPending} disabled={name === ""} onClick={() => exported.mutate(name)}>
            Export
          </Button>
        )}
        <Button
          weight="danger"
          busy={erase.isPending}
          disabled={name === "" || exported.isPending}
          onClick={wantsErasure ? confirmed : () => setWantsErasure(true)}
        >
          {wantsErasure ? "Erase permanently" : "Erase"}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

function Erased({ counts: { entries, conversations, requests } }: { readonly counts: ErasedEndUser }): ReactNode {
  if (entries + conversations + requests === 0) return <Notice tone="good">Nothing to erase.</Notice>;
  return (
    <Notice tone="good" title="Erased">
      {inCount(entries, "ledger entry", "ledger entries")}, {inCount(conversations, "conversation")}, {inCount(requests, "logged request")}.
      A request in flight is recorded when it ends: erase again until there is nothing to erase.
    </Notice>
  );
}

/** The request body names the end user, because URLs are logged. So the download cannot be a link that the browser follows. */
function useExport(account: string): UseMutationResult<void, Error, string> {
  return useMutation({
    // With a mutation key, it counts as a change in flight, and its dialog stays open.
    mutationKey: ["exportEndUser"],
    async mutationFn(user: string) {
      const url = urlOf("exportEndUser", { path: { id: account } });
      const response = await send(url, { method: "POST", body: JSON.stringify({ user }) });
      download("end-user.jsonl", await response.blob());
    },
  });
}

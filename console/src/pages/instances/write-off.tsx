import { useState, type ReactNode } from "react";
import type { Instance } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/inputs/field.tsx";
import { FormDialog } from "../../parts/overlays/form-dialog.tsx";
import { inCount, money } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { refusalAt } from "../../parts/refusal.ts";
import { toast } from "../../parts/overlays/toasts.tsx";

/** Writes off a lost process, after it has shown what that strands. */
export function WriteOff({ instance }: { readonly instance: Instance }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Write off {instance.id}
      </Button>
      {isOpen && <WriteOffDialog instance={instance} onClose={() => setOpen(false)} />}
    </>
  );
}

function WriteOffDialog({ instance, onClose }: { readonly instance: Instance; readonly onClose: () => void }): ReactNode {
  const { id, leased, lease_count: leases, open_holds: holds, held } = instance;
  const [reason, setReason] = useState("");
  const writeOff = useApiMutation("writeOffInstance");
  const done = (): void => {
    toast(`${id} was written off.`);
    onClose();
  };
  return (
    <FormDialog
      title={`Write off ${id}?`}
      about="For a process whose data folder is lost. If it still exists, start the process there again instead: then nothing is lost."
      action="Write off"
      weight="danger"
      change={writeOff}
      fields={["reason"]}
      onSubmit={() => writeOff.mutate({ path: { id }, body: { reason: reason.trim() } }, { onSuccess: done })}
      onClose={onClose}
    >
      <Notice tone="warn">
        Its {inCount(leases, "lease")} of {money(leased)} return to their accounts. Its {inCount(holds ?? 0, "open hold")} of{" "}
        {money(held ?? "0")} {holds === 1 ? "is" : "are"} charged for the last reported progress, or released.
      </Notice>
      <TextField
        label="Reason"
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        required
        autoFocus
        hint="Recorded in the audit log."
        error={refusalAt(writeOff.error, "reason")}
      />
    </FormDialog>
  );
}

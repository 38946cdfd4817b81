import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Upstream } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { EditUpstream } from "./edit-upstream.tsx";

/** The buttons on the page of an upstream that operators manage. */
export function UpstreamActions({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const [dialog, setDialog] = useState<"edit" | "remove">();
  const close = (): void => setDialog(undefined);
  if (upstream.managed_by !== "operator") return null;
  return (
    <>
      {upstream.dialect !== "echo" && <Button onClick={() => setDialog("edit")}>Edit</Button>}
      <Button onClick={() => setDialog("remove")}>Remove</Button>
      {dialog === "edit" && <EditUpstream upstream={upstream} onClose={close} />}
      {dialog === "remove" && <RemoveUpstream upstream={upstream} onClose={close} />}
    </>
  );
}

function RemoveUpstream({ upstream: { id }, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const remove = useApiMutation("removeUpstream");
  const done = (): void => {
    toast(`${id} was removed.`);
    onClose();
    void navigate({ to: "/upstreams" });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove the upstream ${id}?`}
      action={id.length <= 40 ? `Remove ${id}` : "Remove"}
      change={remove}
      onConfirm={() => remove.mutate({ path: { id } }, { onSuccess: done })}
    >
      Its credentials are deleted. Past charges stay in the ledger. An upstream that still serves models cannot be removed.
    </Confirm>
  );
}

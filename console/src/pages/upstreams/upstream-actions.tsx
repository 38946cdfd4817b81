import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Upstream } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { toast } from "../../parts/toasts.tsx";
import { EditUpstream } from "./edit-upstream.tsx";

/** What an operator can do with an upstream of the operators'. */
export function UpstreamActions({ upstream }: { readonly upstream: Upstream }): ReactNode {
  const [doing, setDoing] = useState<"edit" | "remove">();
  const close = (): void => setDoing(undefined);
  if (upstream.managed_by !== "operator") return null;
  return (
    <>
      {upstream.dialect !== "echo" && <Button onClick={() => setDoing("edit")}>Edit</Button>}
      <Button onClick={() => setDoing("remove")}>Remove</Button>
      {doing === "edit" && <EditUpstream upstream={upstream} onClose={close} />}
      {doing === "remove" && <RemoveUpstream upstream={upstream} onClose={close} />}
    </>
  );
}

function RemoveUpstream({ upstream: { id }, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const remove = useChange("removeUpstream");
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
      action={`Remove ${id.length <= 40 ? id : "it"}`}
      change={remove}
      onConfirm={() => remove.mutate({ path: { id } }, { onSuccess: done })}
    >
      Its credentials are forgotten with it. What was charged for its answers stays in the ledger. One that serves models is not removed.
    </Confirm>
  );
}

import { RotateCw } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Instance } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { count } from "../../parts/format/format.ts";
import { toast } from "../../parts/overlays/toasts.tsx";

interface RestartProps {
  readonly gateways: readonly Instance[];
  readonly isRestarting: boolean;
}

/** Starts a rolling restart, after a confirmation. */
export function RestartInstances({ gateways, isRestarting }: RestartProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const restart = useApiMutation("restartInstances");
  const close = (): void => {
    setOpen(false);
    restart.reset();
  };
  const done = (): void => {
    close();
    toast("Rolling restart started.");
  };
  return (
    <>
      <Button busy={isRestarting} onClick={() => setOpen(true)}>
        {!isRestarting && <RotateCw size={14} aria-hidden />}
        {isRestarting ? "Restarting" : "Restart processes"}
      </Button>
      <Confirm
        open={isOpen}
        onClose={close}
        title={`Restart ${gateways.length === 1 ? "the gateway process" : `${count(gateways.length)} gateway processes`}?`}
        action="Restart"
        weight="primary"
        change={restart}
        onConfirm={() => restart.mutate({}, { onSuccess: done })}
      >
        They are replaced one after another. Each finishes its requests in flight first, and new connections go to the others. The owner
        process is not restarted.
      </Confirm>
    </>
  );
}

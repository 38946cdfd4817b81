import type { ReactNode } from "react";
import type { OperationId, OperationInput, Reply } from "../../platform/call.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import type { Weight } from "../button.tsx";
import { Confirm } from "../overlays/confirm.tsx";
import { toast } from "../overlays/toasts.tsx";

interface ConfirmChangeProps<Id extends OperationId> {
  readonly operation: Id;
  readonly input: OperationInput<Id>;
  /** Names the action and the resource: "Archive key “ci”?" */
  readonly title: string;
  /** The button's label: the same verb. */
  readonly action: string;
  readonly weight?: Weight;
  /** Shown after success. */
  readonly done: string;
  readonly onDone?: (reply: Reply<Id>) => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog that confirms one call of the platform API. If the call is rejected, the dialog shows the reason. */
export function ConfirmChange<Id extends OperationId>(props: ConfirmChangeProps<Id>): ReactNode {
  const { operation, input, title, action, weight = "danger", done, onDone, onClose, children } = props;
  const change = useApiMutation(operation);
  const onSuccess = (reply: Reply<Id>): void => {
    toast(done);
    onClose();
    onDone?.(reply);
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={title}
      action={action}
      weight={weight}
      change={change}
      onConfirm={() => change.mutate(input, { onSuccess })}
    >
      {children}
    </Confirm>
  );
}

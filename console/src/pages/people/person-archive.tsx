import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Person } from "../../../../platform-client/types.ts";
import { ConfirmChange } from "../../parts/list/confirm-change.tsx";

interface DialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

export function Archive({ person: { id, name }, onClose }: DialogProps): ReactNode {
  return (
    <ConfirmChange
      operation="updatePerson"
      input={{ path: { id }, body: { archived: true } }}
      title={`Archive ${name}?`}
      action="Archive"
      done={`${name} archived.`}
      onClose={onClose}
    >
      Ends their sessions and access tokens immediately, and hides them from lists. You can restore them.
    </ConfirmChange>
  );
}

export function Restore({ person: { id, name }, onClose }: DialogProps): ReactNode {
  return (
    <ConfirmChange
      operation="updatePerson"
      input={{ path: { id }, body: { archived: false } }}
      title={`Restore ${name}?`}
      action="Restore"
      weight="primary"
      done={`${name} restored.`}
      onClose={onClose}
    >
      They are in lists again. They stay disabled until you enable them.
    </ConfirmChange>
  );
}

export function Delete({ person: { id, name }, onClose }: DialogProps): ReactNode {
  const navigate = useNavigate();
  return (
    <ConfirmChange
      operation="removePerson"
      input={{ path: { id } }}
      title={`Delete ${name}?`}
      action="Delete"
      done={`${name} deleted.`}
      onDone={() => void navigate({ to: "/people" })}
      onClose={onClose}
    >
      Only a person who has never signed in can be deleted. The invitation link becomes invalid. This cannot be undone.
    </ConfirmChange>
  );
}

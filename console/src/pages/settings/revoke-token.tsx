import type { ReactNode } from "react";
import type { AccessToken, Person } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";

interface RevokeTokenProps {
  readonly token: AccessToken;
  /** The owner, if not the signed-in person. */
  readonly person?: Person;
  readonly onClose: () => void;
}

export function RevokeToken({ token, person, onClose }: RevokeTokenProps): ReactNode {
  const own = useApiMutation("revokeAccessToken");
  const theirs = useApiMutation("revokeTokenOfPerson");
  const onSuccess = (): void => {
    onClose();
    toast("Token revoked.");
  };
  const revoke = (): void =>
    person
      ? theirs.mutate({ path: { id: person.id, tokenId: token.id } }, { onSuccess })
      : own.mutate({ path: { id: token.id } }, { onSuccess });
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Revoke token “${token.name}”${person ? ` of ${person.name}` : ""}?`}
      action="Revoke"
      change={person ? theirs : own}
      onConfirm={revoke}
    >
      Requests with this token are rejected immediately. This cannot be undone.
    </Confirm>
  );
}

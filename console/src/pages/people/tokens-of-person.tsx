import { useState, type ReactNode } from "react";
import type { AccessToken, Person } from "../../platform/interface.ts";
import { useChange, usePages } from "../../platform/use-platform.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable } from "../../parts/table.tsx";
import { toast } from "../../parts/toasts.tsx";
import { tokenColumns } from "../settings/token-columns.tsx";

export function TokensOfPerson({ person }: { readonly person: Person }): ReactNode {
  const tokens = usePages("listTokensOfPerson", { path: { id: person.id }, query: { limit: 50 } });
  const [revoking, setRevoking] = useState<AccessToken>();
  const revoke = useChange("revokeTokenOfPerson");
  const close = (): void => setRevoking(undefined);
  const revoked = (): void => {
    close();
    toast("The token was revoked.");
  };
  return (
    <Section title="Access tokens" flush>
      <PagedTable
        label="Access tokens"
        of={tokens}
        columns={tokenColumns(setRevoking)}
        keyOf={({ id }) => id}
        empty={<Empty title="No tokens">People make them in their own settings, for programs that act as them.</Empty>}
      />
      <Confirm
        open={revoking !== undefined}
        onClose={close}
        title={`Revoke the token “${revoking?.name ?? ""}” of ${person.name}?`}
        action="Revoke"
        change={revoke}
        onConfirm={() => revoke.mutate({ path: { id: person.id, tokenId: revoking!.id } }, { onSuccess: revoked })}
      >
        Programs that use it are refused from their next request on. It cannot be undone.
      </Confirm>
    </Section>
  );
}

import { useState, type ReactNode } from "react";
import type { AccessToken, Person } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable } from "../../parts/table.tsx";
import { RevokeToken } from "../settings/revoke-token.tsx";
import { tokenColumns } from "../settings/token-columns.tsx";

export function PersonTokens({ person }: { readonly person: Person }): ReactNode {
  const tokens = usePages("listTokensOfPerson", { path: { id: person.id }, query: { limit: 50 } });
  const [revoking, setRevoking] = useState<AccessToken>();
  return (
    <Section title="Access tokens" flush>
      <PagedTable
        label="Access tokens"
        of={tokens}
        columns={tokenColumns(setRevoking)}
        keyOf={({ id }) => id}
        empty={<Empty title="No tokens">People create access tokens in their own settings, for scripts and the command line.</Empty>}
      />
      {revoking && <RevokeToken token={revoking} person={person} onClose={() => setRevoking(undefined)} />}
    </Section>
  );
}

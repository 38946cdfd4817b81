import { useState, type ReactNode } from "react";
import type { AccessToken } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable } from "../../parts/table.tsx";
import { tokenColumns } from "./token-columns.tsx";
import { CreateToken } from "./create-token.tsx";
import { RevokeToken } from "./revoke-token.tsx";

/** Access tokens, with which scripts act as the signed-in person. */
export function AccessTokens(): ReactNode {
  const tokens = usePages("listAccessTokens", { query: { limit: 50 } });
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<AccessToken>();
  return (
    <Section
      title="Access tokens"
      about="For scripts that call the platform API as you. Give each token only the scopes that it needs."
      actions={<Button onClick={() => setCreating(true)}>Create access token</Button>}
      flush
    >
      <PagedTable
        label="Access tokens"
        of={tokens}
        columns={tokenColumns(setRevoking)}
        keyOf={({ id }) => id}
        empty={<Empty title="No tokens yet">The command line and scripts use a token in place of your password.</Empty>}
      />
      {isCreating && <CreateToken onClose={() => setCreating(false)} />}
      {revoking && <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />}
    </Section>
  );
}

import { useState, type ReactNode } from "react";
import type { AccessToken } from "../../platform/interface.ts";
import { usePages } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable } from "../../parts/table.tsx";
import { tokenColumns } from "./token-columns.tsx";
import { CreateToken } from "./create-token.tsx";
import { RevokeToken } from "./revoke-token.tsx";

/** Tokens with which programs act as oneself. */
export function AccessTokens(): ReactNode {
  const tokens = usePages("listAccessTokens", { query: { limit: 50 } });
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<AccessToken>();
  return (
    <Section
      title="Access tokens"
      about="For programs that call the platform as you. Narrow each to what it needs."
      actions={<Button onClick={() => setCreating(true)}>Create access token</Button>}
      flush
    >
      <PagedTable
        label="Access tokens"
        of={tokens}
        columns={tokenColumns(setRevoking)}
        keyOf={({ id }) => id}
        empty={<Empty title="No token yet">The command line and scripts use one in place of your password.</Empty>}
      />
      {isCreating && <CreateToken onClose={() => setCreating(false)} />}
      {revoking && <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />}
    </Section>
  );
}

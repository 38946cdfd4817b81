import type { ReactNode } from "react";
import type { AccessToken } from "../../../../platform-client/types.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";

/** The columns of an access token list. */
export function tokenColumns(onRevoke: (token: AccessToken) => void): readonly Column<AccessToken>[] {
  return [
    {
      title: "Name",
      cell: ({ name }) => (
        <span className="font-medium" title={name}>
          {name}
        </span>
      ),
    },
    { title: "State", cell: (token) => <TokenState token={token} /> },
    { title: "Scopes", cell: ({ scopes }) => <span title={scopes.join(", ")}>{scopes.join(", ")}</span>, from: "md" },
    { title: "Last used", cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : "never"), from: "lg" },
    { title: "Expires", cell: ({ expires_at }) => <Time at={expires_at} />, from: "sm" },
    {
      title: "",
      figures: true,
      cell: (token) =>
        token.active && (
          <Button small aria-label={`Revoke ${token.name}`} onClick={() => onRevoke(token)}>
            Revoke
          </Button>
        ),
    },
  ];
}

function TokenState({ token: { active, revoked_at } }: { readonly token: AccessToken }): ReactNode {
  if (active) return <Badge tone="good">active</Badge>;
  return <Badge>{revoked_at ? "revoked" : "expired"}</Badge>;
}

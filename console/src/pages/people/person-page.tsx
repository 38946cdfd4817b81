import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Person, AccessToken } from "../../../../platform-client/types.ts";
import { useApiQuery, usePages } from "../../platform/use-api.ts";
import { Facts } from "../../parts/facts.tsx";
import { moment } from "../../parts/format/format.ts";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched, Empty } from "../../parts/states.tsx";
import { textLink } from "../../parts/text-link.ts";
import { PersonActions } from "./person-actions.tsx";
import { PersonBadge } from "./person-badge.tsx";
import { PagedTable } from "../../parts/table.tsx";
import { RevokeToken } from "../settings/revoke-token.tsx";
import { tokenColumns } from "../settings/token-columns.tsx";

const route = getRouteApi("/signed-in/people/$id");

export function PersonPage(): ReactNode {
  const { id } = route.useParams();
  const person = useApiQuery("showPerson", { path: { id } });
  const above = <Link to="/people">People</Link>;
  return (
    <Page
      title={person.data?.name ?? "Person"}
      above={above}
      heading={
        person.data && (
          <span className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 break-words">{person.data.name}</span>
            <PersonBadge person={person.data} />
          </span>
        )
      }
      actions={person.data && <PersonActions person={person.data} />}
    >
      <Fetched of={person}>{(shown) => <Shown person={shown} />}</Fetched>
    </Page>
  );
}

function Shown({ person }: { readonly person: Person }): ReactNode {
  return (
    <>
      <Section title="Details">
        <Facts
          facts={[
            ["Email", person.email],
            ["Role", person.role],
            [
              "Account",
              person.account && (
                <Link key="account" to="/accounts/$id" params={{ id: person.account }} className={textLink}>
                  {person.account}
                </Link>
              ),
            ],
            ["Sign-in methods", [person.has_password && "password", person.has_identity && "SSO"].filter(Boolean).join(", ") || "none yet"],
            person.invited_until ? ["Invitation link", formatLinkExpiry(person.invited_until)] : undefined,
            ["Added", moment(person.created_at)],
            person.disabled_at ? ["Disabled", moment(person.disabled_at)] : undefined,
            ["Audit log", <ChangeLinks key="changes" id={person.id} />],
          ]}
        />
      </Section>
      <PersonTokens person={person} />
    </>
  );
}

function formatLinkExpiry(until: string): string {
  return `${Date.parse(until) < Date.now() ? "Expired" : "Expires"} ${moment(until)}`;
}

function ChangeLinks({ id }: { readonly id: string }): ReactNode {
  return (
    <span className="flex flex-wrap gap-x-4">
      <Link to="/audit" search={{ actor: id }} className={textLink}>
        Changes by this person
      </Link>
      <Link to="/audit" search={{ kind: "person", id }} className={textLink}>
        Changes to this person
      </Link>
    </span>
  );
}

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

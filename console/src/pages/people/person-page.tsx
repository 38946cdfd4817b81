import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Person } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { Facts } from "../../parts/facts.tsx";
import { moment } from "../../parts/format.ts";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { PersonActions } from "./person-actions.tsx";
import { PersonBadge } from "./person-badge.tsx";
import { TokensOfPerson } from "./tokens-of-person.tsx";

const route = getRouteApi("/signed-in/people/$id");

export function PersonPage(): ReactNode {
  const { id } = route.useParams();
  const person = useLook("showPerson", { path: { id } });
  const above = <Link to="/people">People</Link>;
  return (
    <Page title={person.data?.name ?? "Person"} above={above} actions={person.data && <PersonActions person={person.data} />}>
      <Fetched of={person}>{(shown) => <Shown person={shown} />}</Fetched>
    </Page>
  );
}

function Shown({ person }: { readonly person: Person }): ReactNode {
  return (
    <>
      <Section title="Who it is">
        <Facts
          facts={[
            ["State", <PersonBadge key="state" person={person} />],
            ["Email", person.email],
            ["Role", person.role],
            [
              "Account",
              person.account && (
                <Link key="account" to="/accounts/$id" params={{ id: person.account }} className="text-accent underline underline-offset-2">
                  {person.account}
                </Link>
              ),
            ],
            [
              "Signs in with",
              [person.has_password && "password", person.has_identity && "OpenID"].filter(Boolean).join(", ") || "nothing yet",
            ],
            ["Added", moment(person.created_at)],
            person.disabled_at ? ["Disabled", moment(person.disabled_at)] : undefined,
          ]}
        />
      </Section>
      <TokensOfPerson person={person} />
      <Link to="/audit" search={{ actor: person.id }} className="self-start text-accent underline underline-offset-2">
        What {person.name} has changed
      </Link>
    </>
  );
}

import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { CopyIcon } from "../../parts/copy.tsx";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { exactMoney, moment } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { textLink } from "../../parts/text-link.ts";
import type { Key } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { breakdownFacts, limitFacts, ModelList } from "../../limits-and-usage/policy-facts.tsx";
import { RecentRequests } from "../../limits-and-usage/recent-requests.tsx";
import { EditCaps } from "../../limits-and-usage/edit-caps.tsx";
import { SpendMeters } from "../../limits-and-usage/spend-meters.tsx";
import { UsageSection } from "../../breakdown/usage-section.tsx";
import { useMe } from "../../shell/me.ts";
import { SavedViews } from "../../shell/saved-views.tsx";
import { AuditLink } from "../../limits-and-usage/audit-link.tsx";
import { KeyActions } from "./key-actions.tsx";
import { KeyBadge } from "./key-badge.tsx";

const route = getRouteApi("/signed-in/keys/$id");

export function KeyPage(): ReactNode {
  const { id } = route.useParams();
  const key = useApiQuery("showKey", { path: { id } });
  return (
    <Page
      title={key.data?.name ?? "Key"}
      docs="limits#rate-limits"
      above={<Link to="/keys">Keys</Link>}
      heading={
        key.data && (
          <span className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 break-words">{key.data.name}</span>
            <KeyBadge of={key.data} />
          </span>
        )
      }
      actions={
        key.data && (
          <>
            <SavedViews />
            <KeyActions of={key.data} />
          </>
        )
      }
    >
      <Fetched of={key}>{(data) => <KeyView of={data} />}</Fetched>
    </Page>
  );
}

function KeyView({ of }: { readonly of: Key }): ReactNode {
  const { isOperator } = useMe();
  return (
    <>
      <KeyNotice of={of} />
      <div className="grid gap-5 md:grid-cols-2 xl:grid-cols-3 md:max-xl:[&>:last-child]:col-span-2">
        <About of={of} />
        <Section title="Access policy">
          <Facts facts={[["Allowed models", <ModelList models={of.models} />], ...limitFacts(of.limits), ...breakdownFacts(of)]} />
        </Section>
        <Section
          title="Spend"
          about="Calendar day and month (UTC)"
          actions={of.revoked_at === null && <EditCaps operation="updateKey" of={of} />}
        >
          <SpendMeters spent={of.spent} caps={of.caps} />
        </Section>
      </div>
      <UsageSection of={{ key: of.id }} dimensions={["model", "upstream", "endpoint", "user", "tag"]} isOperator={isOperator} />
      <RecentRequests of={{ key: of.id }} />
    </>
  );
}

/** A notice for a key that is rejected, or was rotated recently. */
function KeyNotice({ of }: { readonly of: Key }): ReactNode {
  if (of.revoked_at !== null)
    return <Notice>Revoked on {moment(of.revoked_at)}. This cannot be undone. Usage history stays available.</Notice>;
  if (of.state === "expired")
    return <Notice tone="warn">Expired on {moment(of.expires_at!)}. Set a new expiry to use this key again.</Notice>;
  if (of.archived_at !== null)
    return <Notice tone="warn">Archived on {moment(of.archived_at)}. Its requests are rejected. Restore it to use it again.</Notice>;
  if (of.paused_at !== null)
    return <Notice tone="warn">Paused on {moment(of.paused_at)}. Its requests are rejected until you resume it.</Notice>;
  if (!of.active) return <Notice tone="warn">The account of this key is archived. Its requests are rejected.</Notice>;
  if (of.imported !== null)
    return (
      <Notice>
        Imported from {of.imported.from}: callers use the key of that gateway. Rotate it to issue a secret of this one; the old key then
        works until its grace period ends.
      </Notice>
    );
  if (of.previous_key_works_until === null) return null;
  return <Notice>Rotated. The old secret works until {moment(of.previous_key_works_until)}.</Notice>;
}

function About({ of }: { readonly of: Key }): ReactNode {
  const { isOperator } = useMe();
  return (
    <Section title="Details">
      <Facts
        facts={[
          [
            "ID",
            <span className="flex items-center gap-1">
              <Mono>{of.id}</Mono>
              <CopyIcon text={of.id} label="Copy ID" />
            </span>,
          ],
          [
            "Account",
            <Link to="/accounts/$id" params={{ id: of.account }} className={textLink}>
              {of.account}
            </Link>,
          ],
          ["Last used", of.last_used_at === null ? "Never" : <Time at={of.last_used_at} />],
          [
            "Reserved",
            <span className="figures" title="Reserved by in-flight requests">
              {exactMoney(of.held)}
            </span>,
          ],
          ["Created", <Time at={of.created_at} />],
          of.imported === null ? undefined : ["Imported", <Time at={of.imported.at} />],
          ["Expires", of.expires_at === null ? "Never" : <Time at={of.expires_at} />],
          isOperator ? ["Audit log", <AuditLink key="audit" kind="key" id={of.id} />] : undefined,
        ]}
      />
    </Section>
  );
}

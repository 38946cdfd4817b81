import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Webhook } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Mono } from "../../parts/code.tsx";
import { CopyIcon } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { moment } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { alertTitle } from "./format-alert.ts";
import { CHANNELS, formatDestination, hasSecretUrl } from "./channel-kinds.ts";
import { Deliveries } from "./deliveries.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookBadge } from "./webhook-badge.tsx";

const route = getRouteApi("/signed-in/alerts/$id");

export function WebhookPage(): ReactNode {
  const { id } = route.useParams();
  const webhook = useApiQuery("showWebhook", { path: { id } });
  return (
    <Page
      title={webhook.data?.name ?? "Webhook"}
      docs="alerts#verify-the-signature"
      above={<Link to="/alerts">Alerts</Link>}
      heading={
        webhook.data && (
          <span className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 break-words">{webhook.data.name}</span>
            <WebhookBadge of={webhook.data} />
          </span>
        )
      }
      actions={webhook.data && <WebhookActions of={webhook.data} />}
    >
      <Fetched of={webhook}>{(shown) => <Shown of={shown} />}</Fetched>
    </Page>
  );
}

function Destination({ of }: { readonly of: Webhook }): ReactNode {
  const shown = formatDestination(of);
  return (
    <span className="flex items-center gap-1">
      <Mono>{shown}</Mono>
      {!hasSecretUrl(of.kind) && <CopyIcon text={shown} label={of.kind === "email" ? "Copy recipients" : "Copy URL"} />}
    </span>
  );
}

function Shown({ of }: { readonly of: Webhook }): ReactNode {
  return (
    <>
      {of.paused && (
        <Notice tone="warn" title={of.paused_because === null ? "Paused" : `Paused: ${of.paused_because}.`}>
          No messages are sent. Pending messages wait. Alerts raised during the pause are not sent later.
        </Notice>
      )}
      <Section title="Details">
        <Facts
          facts={[
            ["Kind", CHANNELS[of.kind].label],
            [of.kind === "email" ? "Recipients" : "URL", <Destination key="url" of={of} />],
            ["Alerts", of.alerts === null ? "All alerts" : of.alerts.map(alertTitle).join(", ")],
            ["Private networks", of.allow_private ? "Allowed" : "Rejected"],
            of.previous_secret_signs_until !== null
              ? ["Signing secret", `Rotated. Messages are also signed with the old secret until ${moment(of.previous_secret_signs_until)}.`]
              : undefined,
            ["Created", <Time key="created" at={of.created_at} />],
          ]}
        />
      </Section>
      <Deliveries of={of} />
    </>
  );
}

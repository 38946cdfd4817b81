import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Webhook, NewWebhook } from "../../../../platform-client/types.ts";
import { usePages, useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, rowLink, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { ALERT_KINDS, ALERT_DESCRIPTIONS, formatAlertKinds, alertTitle } from "./format-alert.ts";
import { CHANNELS, formatDestination } from "./channel-kinds.ts";
import { RaisedAlerts } from "./raised-alerts.tsx";
import { WebhookBadge } from "./webhook-badge.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { NEW_WEBHOOK } from "./webhook-draft.ts";
import { WebhookForm } from "./webhook-form.tsx";
import { WebhookSecret } from "./webhook-secret.tsx";

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: "Webhook",
    cell: ({ id, name }) => (
      <Link to="/alerts/$id" params={{ id }} className={rowLink} title={name}>
        {name}
      </Link>
    ),
    className: "max-w-56!",
  },
  { title: "State", cell: (webhook) => <WebhookBadge of={webhook} /> },
  { title: "Kind", cell: ({ kind }) => CHANNELS[kind].label },
  {
    title: "Destination",
    cell: (webhook) => <span title={webhook.url}>{formatDestination(webhook)}</span>,
    from: "md",
    className: "max-w-72!",
  },
  {
    title: "Alerts",
    cell: ({ alerts }) => <span title={alerts?.map(alertTitle).join(", ")}>{formatAlertKinds(alerts)}</span>,
    from: "sm",
  },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} />, from: "lg" },
];

export function AlertsPage(): ReactNode {
  const webhooks = usePages("listWebhooks", { query: { limit: 50 } });
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button weight="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      Add destination
    </Button>
  );
  return (
    <Page title="Alerts" docs="alerts" about="What needs attention, and who is notified." actions={create}>
      <RaisedAlerts />
      <Section title="Webhooks" about="Where alerts are sent." flush>
        <PagedTable label="Webhooks" of={webhooks} columns={COLUMNS} keyOf={({ id }) => id} empty={<NoWebhooks />} />
      </Section>
      <AlertTypes />
      {isCreating && <CreateWebhook onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoWebhooks(): ReactNode {
  return (
    <Empty title="No webhooks yet">
      A webhook sends alerts to Slack, Teams, Discord, PagerDuty, email or your own service, such as when credit runs out or an upstream
      fails.
    </Empty>
  );
}

function AlertTypes(): ReactNode {
  return (
    <Section title="Alert types" about="Each alert is sent once when its condition starts, and again only after it has cleared.">
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
        {ALERT_KINDS.map((kind) => (
          <div key={kind} className="min-w-0">
            <dt className="flex flex-wrap items-baseline gap-x-2 font-medium">
              {ALERT_DESCRIPTIONS[kind].title}
              <span className="text-sm font-normal text-ink-3">
                <Mono>{kind}</Mono>
              </span>
            </dt>
            <dd className="text-ink-2">{ALERT_DESCRIPTIONS[kind].about}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** Creates a webhook and shows its signing secret, if it has one. */
export function CreateWebhook({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useApiMutation("createWebhook");
  const done = ({ kind }: NewWebhook): void => {
    if (kind === "webhook") return;
    toast("Webhook created. Send a test to check that messages arrive.");
    onClose();
  };
  if (create.data?.kind === "webhook") return <WebhookSecret of={create.data} onClose={onClose} />;
  return (
    <WebhookForm
      title="Add destination"
      action="Add destination"
      initial={NEW_WEBHOOK}
      change={create}
      onSubmit={(body) => create.mutate({ body }, { onSuccess: done })}
      onClose={onClose}
    />
  );
}

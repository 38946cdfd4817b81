import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { Delivery, DeliveryAttempt, Webhook } from "../../../../platform-client/types.ts";
import { withLabels } from "../../platform/readable-message.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { count, duration, moment } from "../../parts/format/format.ts";
import { Notice, type Tone } from "../../parts/notice.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { alertTitle } from "./format-alert.ts";

const TONES: Record<Delivery["state"], Tone> = { pending: "plain", delivered: "good", failed: "bad", dropped: "warn" };

const ATTEMPT_COLUMNS: readonly Column<DeliveryAttempt>[] = [
  { title: "Attempted", cell: ({ at }) => <Time at={at} /> },
  { title: "Status", cell: ({ status }) => status ?? "none", figures: true },
  { title: "Duration", cell: ({ duration_ms }) => duration(duration_ms), figures: true },
  {
    title: "Error",
    cell: ({ problem }) => (problem === null ? <span className="text-ink-3">–</span> : withLabels(problem)),
    className: "max-w-none! w-full whitespace-normal!",
  },
];

/** A delivery; expanded, every attempt to send it. */
export function DeliveryEntry({ delivery, webhook }: { readonly delivery: Delivery; readonly webhook: Webhook }): ReactNode {
  const { type, state, attempts, created_at } = delivery;
  return (
    <li className="border-t border-line first:border-t-0">
      <details className="group">
        <summary className="flex list-none items-center gap-3 px-4 py-2 hover:bg-hover">
          <ChevronRight size={14} className="shrink-0 text-ink-3 transition-transform group-open:rotate-90" aria-hidden />
          <span className="min-w-0 flex-1 truncate font-medium" title={type}>
            {alertTitle(type)}
          </span>
          <span className="figures text-sm text-ink-3 max-sm:hidden">{formatAttempts(attempts.length)}</span>
          <span className="flex w-18 shrink-0 justify-end sm:justify-start">
            <Badge tone={TONES[state]}>{state}</Badge>
          </span>
          <span className="w-24 shrink-0 text-right text-sm text-ink-3 max-sm:w-auto">
            <Time at={created_at} />
          </span>
        </summary>
        <div className="flex flex-col gap-4 border-t border-line bg-sunken px-4 py-3 sm:pl-11">
          <Facts
            facts={[
              ["Message ID", <Mono key="message">{delivery.message_id}</Mono>],
              ["Alert type", <Mono key="kind">{type}</Mono>],
              ["Created", moment(created_at)],
              delivery.next_attempt_at === null ? undefined : ["Next attempt", moment(delivery.next_attempt_at)],
            ]}
          />
          {attempts.length > 0 && (
            <div className="overflow-hidden rounded-md border border-line bg-surface">
              <Table label="Attempts" columns={ATTEMPT_COLUMNS} rows={attempts} keyOf={({ at }) => at} dense />
            </div>
          )}
          <Resend delivery={delivery} webhook={webhook} />
        </div>
      </details>
    </li>
  );
}

function formatAttempts(attempts: number): string {
  return attempts === 1 ? "1 attempt" : `${count(attempts)} attempts`;
}

function Resend({ delivery, webhook }: { readonly delivery: Delivery; readonly webhook: Webhook }): ReactNode {
  const send = useApiMutation("redeliver");
  if (webhook.paused) return <p className="text-sm text-ink-2">Resume the webhook to resend this delivery.</p>;
  const path = { id: webhook.id, deliveryId: String(delivery.id) };
  return (
    <>
      {send.error && <Notice tone="bad">{send.error.message}</Notice>}
      <Button
        small
        className="self-start"
        busy={send.isPending}
        onClick={() => send.mutate({ path }, { onSuccess: () => toast("Resending.") })}
      >
        Resend
      </Button>
    </>
  );
}

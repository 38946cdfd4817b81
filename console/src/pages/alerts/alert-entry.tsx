import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Alert } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Notice, type Tone } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";

const TONES: Record<Alert["state"], Tone> = { open: "bad", acknowledged: "warn", resolved: "good" };

/** A raised alert, with links to what it is about. */
export function AlertEntry({ of }: { readonly of: Alert }): ReactNode {
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium break-words" title={of.type}>
            {of.title}
          </span>
          <Badge tone={TONES[of.state]}>{of.state}</Badge>
        </p>
        <p className="break-words text-ink-2">{of.summary}</p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-3">
          <span>
            Raised <Time at={of.raised_at} />
          </span>
          {of.resolved_at !== null && (
            <span>
              Resolved <Time at={of.resolved_at} />
            </span>
          )}
          {of.acknowledged_by && of.acknowledged_at !== null && (
            <span>
              Acknowledged by {of.acknowledged_by.name} <Time at={of.acknowledged_at} />
            </span>
          )}
          <Subjects of={of} />
        </p>
      </div>
      {of.state === "open" && <Acknowledge of={of} />}
    </li>
  );
}

function Subjects({ of: { account, key, upstream, model } }: { readonly of: Alert }): ReactNode {
  return (
    <>
      {key !== null && (
        <Link to="/keys/$id" params={{ id: key }} className={textLink}>
          Key
        </Link>
      )}
      {account !== null && (
        <Link to="/accounts/$id" params={{ id: account }} className={textLink}>
          Account {account}
        </Link>
      )}
      {upstream !== null && (
        <Link to="/upstreams/$id" params={{ id: upstream }} className={textLink}>
          Upstream {upstream}
        </Link>
      )}
      {model !== null && (
        <Link to="/models/$id" params={{ id: model }} className={textLink}>
          Model {model}
        </Link>
      )}
    </>
  );
}

function Acknowledge({ of: { id, title } }: { readonly of: Alert }): ReactNode {
  const acknowledge = useApiMutation("acknowledgeAlert");
  return (
    <div className="flex flex-col items-end gap-2">
      <Button
        small
        aria-label={`Acknowledge ${title}`}
        busy={acknowledge.isPending}
        onClick={() => acknowledge.mutate({ path: { id } }, { onSuccess: () => toast("Alert acknowledged.") })}
      >
        Acknowledge
      </Button>
      {acknowledge.error && <Notice tone="bad">{acknowledge.error.message}</Notice>}
    </div>
  );
}

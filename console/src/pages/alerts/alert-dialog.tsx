import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Alert } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Cancel, Dialog, DialogBody, DialogFooter } from "../../parts/overlays/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { moment } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { AlertState } from "./alert-columns.tsx";

/** A raised alert, with links to what it is about. */
export function AlertDialog({ of, onClose }: { readonly of: Alert; readonly onClose: () => void }): ReactNode {
  const acknowledge = useApiMutation("acknowledgeAlert");
  const done = (): void => {
    toast("Alert acknowledged.");
    onClose();
  };
  const { acknowledged_by: by, acknowledged_at: acknowledgedAt, resolved_at: resolvedAt } = of;
  return (
    <Dialog open onClose={onClose} title={of.title}>
      <DialogBody>
        <p className="break-words">{of.summary}</p>
        <Facts
          facts={[
            ["State", <AlertState key="state" of={of} />],
            ["Alert type", <Mono key="type">{of.type}</Mono>],
            ["Raised", moment(of.raised_at)],
            resolvedAt === null ? undefined : ["Resolved", moment(resolvedAt)],
            by && acknowledgedAt !== null ? ["Acknowledged", `By ${by.name}, ${moment(acknowledgedAt)}`] : undefined,
            ...subjectsOf(of),
          ]}
        />
        {acknowledge.error && <Notice tone="bad">{acknowledge.error.message}</Notice>}
      </DialogBody>
      <DialogFooter>
        <Cancel onClick={onClose}>Close</Cancel>
        {of.state === "open" && (
          <Button
            weight="primary"
            busy={acknowledge.isPending}
            onClick={() => acknowledge.mutate({ path: { id: of.id } }, { onSuccess: done })}
          >
            Acknowledge
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

const PAGES = [
  { field: "key", label: "Key", to: "/keys/$id" },
  { field: "account", label: "Account", to: "/accounts/$id" },
  { field: "upstream", label: "Upstream", to: "/upstreams/$id" },
  { field: "model", label: "Model", to: "/models/$id" },
] as const;

function subjectsOf(alert: Alert): (readonly [string, ReactNode])[] {
  return PAGES.flatMap(({ field, label, to }) => {
    const id = alert[field];
    if (id === null) return [];
    const link = (
      <Link key={field} to={to} params={{ id }} className={`${textLink} break-all`}>
        {id}
      </Link>
    );
    return [[label, link] as const];
  });
}

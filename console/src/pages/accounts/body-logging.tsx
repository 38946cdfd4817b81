import { useState, type ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { Section } from "../../parts/page.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import type { Account } from "../../../../platform-client/types.ts";
import { useApiMutation } from "../../platform/use-api.ts";
import { useMe } from "../../shell/me.ts";

/** Whether prompts and responses are logged. Members see this too: it concerns their data. */
export function BodyLogging({ of }: { readonly of: Account }): ReactNode {
  const { isOperator } = useMe();
  const [isConfirming, setConfirming] = useState(false);
  const isOn = of.log_bodies;
  const canChange = isOperator && of.managed_by === "operator";
  return (
    <Section
      title="Prompt and response logging"
      actions={canChange && <Button onClick={() => setConfirming(true)}>{isOn ? "Turn off" : "Turn on"}</Button>}
    >
      <div className="flex flex-wrap items-baseline gap-2">
        <Badge tone={isOn ? "warn" : "plain"}>{isOn ? "on" : "off"}</Badge>
        <p className="min-w-0 flex-1 basis-64 text-ink-2">
          {isOn
            ? "The bodies of requests and responses are stored with the request log, up to 64 KiB each. Operators can read them; each read is recorded in the audit log."
            : "Only metadata is stored for each request: time, model, tokens and cost. Prompts and responses are not stored."}
        </p>
      </div>
      {isConfirming && <ConfirmChange of={of} onClose={() => setConfirming(false)} />}
    </Section>
  );
}

function ConfirmChange({ of, onClose }: { readonly of: Account; readonly onClose: () => void }): ReactNode {
  const update = useApiMutation("updateAccount");
  const isOn = of.log_bodies;
  const done = (): void => {
    toast(isOn ? `Prompt and response logging is off for ${of.id}.` : `Prompt and response logging is on for ${of.id}.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={isOn ? `Turn off prompt and response logging for “${of.name}”?` : `Turn on prompt and response logging for “${of.name}”?`}
      action={isOn ? "Turn off" : "Turn on"}
      change={update}
      onConfirm={() => update.mutate({ path: { id: of.id }, body: { log_bodies: !isOn } }, { onSuccess: done })}
    >
      {isOn
        ? "Applies from the next request. Bodies that are already stored are deleted when the request log's retention ends."
        : "From the next request, the bodies of requests and responses are stored as long as the request log. They may contain personal data: inform the members of this account."}
    </Confirm>
  );
}

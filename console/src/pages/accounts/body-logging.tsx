import { useState, type ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Section } from "../../parts/page.tsx";
import { toast } from "../../parts/toasts.tsx";
import type { Account } from "../../platform/interface.ts";
import { useChange } from "../../platform/use-platform.ts";
import { useMe } from "../../shell/me.ts";

/** Whether what callers and models say is kept: those who say it should know. */
export function BodyLogging({ of }: { readonly of: Account }): ReactNode {
  const { isOperator } = useMe();
  const [isAsking, setAsking] = useState(false);
  const isKept = of.log_bodies;
  const canChange = isOperator && of.managed_by === "operator";
  return (
    <Section
      title="What is said"
      actions={canChange && <Button onClick={() => setAsking(true)}>{isKept ? "Stop keeping it" : "Keep what is said"}</Button>}
    >
      <div className="flex flex-wrap items-baseline gap-2">
        <Badge tone={isKept ? "warn" : "plain"}>{isKept ? "kept" : "not kept"}</Badge>
        <p className="min-w-0 flex-1 basis-64 text-ink-2">
          {isKept
            ? "The text of each request and its reply is kept with the request log, up to 64 KiB each. Operators can read it, and each look is recorded in the audit log."
            : "Of each request only figures are kept: when, which model, how many tokens, what it cost. Not what was said."}
        </p>
      </div>
      {isAsking && <Switch of={of} onClose={() => setAsking(false)} />}
    </Section>
  );
}

function Switch({ of, onClose }: { readonly of: Account; readonly onClose: () => void }): ReactNode {
  const update = useChange("updateAccount");
  const isKept = of.log_bodies;
  const done = (): void => {
    toast(isKept ? `What is said by ${of.id} is no longer kept.` : `What is said by ${of.id} is kept from now on.`);
    onClose();
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={isKept ? `Stop keeping what is said by “${of.name}”?` : `Keep what is said by “${of.name}”?`}
      action={isKept ? "Stop keeping it" : "Keep it"}
      change={update}
      onConfirm={() => update.mutate({ path: { id: of.id }, body: { log_bodies: !isKept } }, { onSuccess: done })}
    >
      {isKept
        ? "It counts from the next request on. What was kept until now goes with the request log, when its time is over."
        : "From the next request on, the text of each request and its reply is kept as long as the request log. It may hold what is private: tell the people of this account."}
    </Confirm>
  );
}

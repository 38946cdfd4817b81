import type { ReactNode } from "react";
import type { ReloadReport } from "../../platform/interface.ts";
import { useChange, useLook } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { CopyIcon } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";

export function GatewaySettings(): ReactNode {
  const about = useLook("showAbout", {});
  return (
    <>
      <Section title="This gateway">
        <Fetched of={about} lines={3}>
          {({ version, gateway_url, request_log_days }) => (
            <Facts
              facts={[
                ["Version", version],
                [
                  "Base address",
                  <span key="address" className="flex items-center gap-1">
                    <Mono>{gateway_url}</Mono>
                    <CopyIcon text={gateway_url} label="Copy the base address" />
                  </span>,
                ],
                ["Request log", request_log_days === 0 ? "off" : `kept for ${request_log_days} days`],
              ]}
            />
          )}
        </Fetched>
      </Section>
      <ReloadConfig />
    </>
  );
}

function ReloadConfig(): ReactNode {
  const reload = useChange("reloadConfig");
  return (
    <Section
      title="Config file"
      about="A changed file is read again by itself. Here it can be read at once."
      actions={
        <Button busy={reload.isPending} onClick={() => reload.mutate({})}>
          Read the file again
        </Button>
      }
    >
      {reload.error && <Notice tone="bad">{reload.error.message}</Notice>}
      {reload.data ? (
        <Report report={reload.data} />
      ) : (
        <p className="text-ink-3">If something is wrong with it, what was in force stays in force.</p>
      )}
    </Section>
  );
}

function Report({ report: { file, upstreams, models, accounts, changed, remarks } }: { readonly report: ReloadReport }): ReactNode {
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="good">
        <Mono>{file}</Mono> is in force.
      </Notice>
      <Facts
        facts={[
          ["Declares", `${upstreams} upstreams, ${models} models, ${accounts} accounts`],
          ["Added", named(changed.added)],
          ["Changed", named(changed.changed)],
          ["Removed", named(changed.removed)],
        ]}
      />
      {remarks.map((remark) => (
        <Notice key={remark} tone="warn">
          {remark}
        </Notice>
      ))}
    </div>
  );
}

function named(things: ReloadReport["changed"]["added"]): string | undefined {
  return things.length === 0 ? undefined : things.map(({ kind, id }) => `${kind} ${id}`).join(", ");
}

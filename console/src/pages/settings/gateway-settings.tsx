import type { ReactNode } from "react";
import type { ReloadReport } from "../../../../platform-client/types.ts";
import { useApiMutation, useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { CopyIcon } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { inCount } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";

export function GatewaySettings(): ReactNode {
  const about = useApiQuery("showAbout", {});
  return (
    <>
      <Section title="Gateway">
        <Fetched of={about} lines={3}>
          {({ version, gateway_url, request_log_days }) => (
            <Facts
              facts={[
                ["Version", version],
                [
                  "Base URL",
                  <span key="url" className="flex items-center gap-1">
                    <Mono>{gateway_url}</Mono>
                    <CopyIcon text={gateway_url} label="Copy base URL" />
                  </span>,
                ],
                ["Request log", request_log_days === 0 ? "Off" : `Retained for ${request_log_days} days`],
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
  const reload = useApiMutation("reloadConfig");
  return (
    <Section
      title="Config file"
      about="Changes are reloaded automatically. Reload to apply them immediately."
      actions={
        <Button busy={reload.isPending} onClick={() => reload.mutate({})}>
          Reload config file
        </Button>
      }
    >
      <ReloadOutcome of={reload} />
    </Section>
  );
}

function ReloadOutcome({ of }: { readonly of: ReturnType<typeof useApiMutation<"reloadConfig">> }): ReactNode {
  if (of.error) return <Notice tone="bad">{of.error.message}</Notice>;
  if (of.data) return <Report report={of.data} />;
  return (
    <p className="text-ink-2">
      Resources declared in the file can be changed only there. If the file has an error, the previous configuration stays active.
    </p>
  );
}

function Report({
  report: { file, upstreams, models, price_lists: lists, accounts, changed, warnings },
}: {
  readonly report: ReloadReport;
}): ReactNode {
  const ofLists = lists === 0 ? [] : [inCount(lists, "price list")];
  const declared = [inCount(upstreams, "upstream"), inCount(models, "model"), ...ofLists, inCount(accounts, "account")];
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="good">
        <Mono>{file}</Mono> is active.
      </Notice>
      <Facts
        facts={[
          ["Declares", declared.join(", ")],
          ["Added", formatResources(changed.added)],
          ["Changed", formatResources(changed.changed)],
          ["Removed", formatResources(changed.removed)],
          isSame(changed) ? ["Changes", "None since the last reload"] : undefined,
        ]}
      />
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
    </div>
  );
}

function formatResources(resources: ReloadReport["changed"]["added"]): string | undefined {
  return resources.length === 0 ? undefined : resources.map(({ kind, id }) => `${kind} ${id}`).join(", ");
}

function isSame({ added, changed, removed }: ReloadReport["changed"]): boolean {
  return added.length + changed.length + removed.length === 0;
}

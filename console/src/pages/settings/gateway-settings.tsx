import type { ReactNode } from "react";
import { useApiQuery } from "../../platform/use-api.ts";
import { Mono } from "../../parts/code.tsx";
import { CopyIcon } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { ConfigFile } from "./config-file.tsx";
import { LastBackup } from "./last-backup.tsx";

export function GatewaySettings(): ReactNode {
  const about = useApiQuery("showAbout", {});
  return (
    <>
      <Section title="Gateway">
        <Fetched of={about} lines={3}>
          {({ version, commit, gateway_url, request_log_days }) => (
            <Facts
              facts={[
                ["Version", commit === null ? version : `${version} (${commit})`],
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
      <ConfigFile />
      <LastBackup />
    </>
  );
}

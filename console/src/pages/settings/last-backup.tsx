import type { ReactNode } from "react";
import type { BackupStatus } from "../../../../platform-client/types.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { Code, Mono } from "../../parts/code.tsx";
import { DocsLink } from "../../parts/docs-link.tsx";
import { Facts } from "../../parts/facts.tsx";
import { bytes, count, inCount } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";

const COMMAND = "npx tollgate backup /backup --keep 14";

/** Two days: a nightly backup has failed twice. */
const OLD_MS = 2 * 86_400_000;

/** The last backup, and the command that makes one. Backups have secrets, so neither the console nor the platform API makes or returns them. */
export function LastBackup(): ReactNode {
  const status = useApiQuery("showLastBackup", {}, { every: 60_000 });
  return (
    <Section
      title="Backup"
      about="A backup contains secrets, so it is made on the gateway's machine, and not through the console."
      actions={<DocsLink to="backup">Documentation</DocsLink>}
    >
      <div className="flex flex-col gap-3">
        <Fetched of={status} lines={3}>
          {({ last }) => (last ? <Made of={last} /> : <Notice tone="warn">No backup is known on this machine.</Notice>)}
        </Fetched>
        <p className="text-ink-2">Run it every night with cron or a systemd timer, in the environment of the gateway:</p>
        <Code text={COMMAND} label="Command" />
      </div>
    </Section>
  );
}

function Made({ of }: { readonly of: NonNullable<BackupStatus["last"]> }): ReactNode {
  const { created_at: createdAt, path, bytes: size, version, entries, unshipped } = of;
  const days = of.request_log_days;
  return (
    <>
      {Date.now() - Date.parse(createdAt) > OLD_MS && <Notice tone="warn">The last backup is more than two days old.</Notice>}
      {unshipped.length > 0 && (
        <Notice tone="warn">The latest charges of these processes may be missing in it: {unshipped.join(", ")}.</Notice>
      )}
      <Facts
        facts={[
          ["Last backup", <Time key="time" at={createdAt} />],
          ["File", <Mono key="file">{path}</Mono>],
          ["Size", bytes(size)],
          ["Version", version],
          ["Ledger", `${count(entries)} entries verified`],
          ["Hash secret", of.hash_secret ? "Included" : "Not included"],
          ["Credentials", of.credentials ? "Included, with the secret that decrypts them" : "Encrypted"],
          ["Request log", days === 0 ? "Not included" : inCount(days, "day")],
        ]}
      />
    </>
  );
}

import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Page, Section } from "../../parts/page.tsx";
import { NotFound } from "../../shell/not-found.tsx";
import { useMe } from "../../shell/me.ts";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { setTheme, useTheme } from "../../shell/use-theme.ts";
import { THEMES, type Theme } from "../../theme.ts";
import type { AccessToken, BackupStatus } from "../../../../platform-client/types.ts";
import { usePages, useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { PagedTable } from "../../parts/table.tsx";
import { tokenColumns } from "./token-columns.tsx";
import { CreateToken } from "./create-token.tsx";
import { RevokeToken } from "./revoke-token.tsx";
import { Mono, Code } from "../../parts/code.tsx";
import { CopyIcon } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Endpoints } from "./endpoints.tsx";
import { ConfigFile } from "./config-file.tsx";
import { DocsLink } from "../../parts/docs-link.tsx";
import { bytes, count, inCount } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { Time } from "../../parts/time.tsx";

interface SettingsSection {
  readonly id: string;
  readonly label: string;
  readonly Content: () => ReactNode;
  readonly docs?: string;
  readonly isForOperators?: true;
}

const SECTIONS: readonly SettingsSection[] = [
  { id: "profile", label: "Profile", Content: Profile },
  { id: "appearance", label: "Appearance", Content: Appearance },
  { id: "sessions", label: "Sessions", Content: Sessions },
  { id: "tokens", label: "Access tokens", Content: AccessTokens, docs: "access#access-tokens" },
  { id: "gateway", label: "Gateway", Content: GatewaySettings, docs: "configuration#hot-reload", isForOperators: true },
];

/** Personal settings, and for operators the gateway's settings. */
export function SettingsPage(): ReactNode {
  const { isOperator } = useMe();
  const { section = "profile" } = useParams({ strict: false });
  const sections = SECTIONS.filter(({ isForOperators }) => isOperator || !isForOperators);
  const open = sections.find(({ id }) => id === section);
  if (!open) return <NotFound />;
  return (
    <Page title={open.label} heading="Settings" docs={open.docs}>
      <div className="grid gap-6 md:grid-cols-[11rem_minmax(0,1fr)]">
        <nav aria-label="Settings" className="flex flex-wrap gap-1 md:flex-col">
          {sections.map(({ id, label }) => (
            <Link
              key={id}
              to="/settings/$section"
              params={{ section: id }}
              aria-current={id === open.id ? "page" : undefined}
              className="flex h-8 shrink-0 items-center rounded-md px-2.5 text-ink-2 hover:bg-hover hover:text-ink aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="flex min-w-0 flex-col gap-5">
          <open.Content />
        </div>
      </div>
    </Page>
  );
}

const DESCRIPTIONS: Record<Theme, string> = { system: "Follows your device", light: "Always light", dark: "Always dark" };

export function Appearance(): ReactNode {
  const theme = useTheme();
  return (
    <Section title="Theme" about="Saved in this browser.">
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">Theme</legend>
        {THEMES.map((value) => (
          <label key={value} className="flex items-center gap-2.5">
            <input
              type="radio"
              name="theme"
              value={value}
              checked={theme === value}
              onChange={() => setTheme(value)}
              className="accent-accent-fill"
            />
            <span className="font-medium capitalize">{value}</span>
            <span className="text-ink-3">{DESCRIPTIONS[value]}</span>
          </label>
        ))}
      </fieldset>
    </Section>
  );
}

/** Access tokens, with which scripts act as the signed-in person. */
export function AccessTokens(): ReactNode {
  const tokens = usePages("listAccessTokens", { query: { limit: 50 } });
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<AccessToken>();
  return (
    <Section
      title="Access tokens"
      about="For scripts that call the platform API as you. Give each token only the scopes that it needs."
      actions={<Button onClick={() => setCreating(true)}>Create access token</Button>}
      flush
    >
      <PagedTable
        label="Access tokens"
        of={tokens}
        columns={tokenColumns(setRevoking)}
        keyOf={({ id }) => id}
        empty={<Empty title="No tokens yet">The command line and scripts use a token instead of your password.</Empty>}
      />
      {isCreating && <CreateToken onClose={() => setCreating(false)} />}
      {revoking && <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />}
    </Section>
  );
}

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
      <Endpoints />
      <ConfigFile />
      <LastBackup />
    </>
  );
}

const COMMAND = "npx tollgate backup /backup --keep 14";

/** After two days, a nightly backup has failed twice. */
const OLD_MS = 2 * 86_400_000;

/**
 * The last backup, and the command that makes one. Backups contain secrets, so neither the console nor the platform API creates or returns
 * backups.
 */
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
          {({ last }) => (last ? <Made of={last} /> : <Notice tone="warn">No backups found.</Notice>)}
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

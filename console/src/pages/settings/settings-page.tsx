import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { NotFound } from "../../shell/not-found.tsx";
import { useMe } from "../../shell/me.ts";
import { AccessTokens } from "./access-tokens.tsx";
import { Appearance } from "./appearance.tsx";
import { GatewaySettings } from "./gateway-settings.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";

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

/** Personal settings, and for operators the gateway's. */
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

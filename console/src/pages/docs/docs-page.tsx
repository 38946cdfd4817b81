import { Link, useParams } from "@tanstack/react-router";
import { use, type ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { MeContext } from "../../shell/me.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { Announcements } from "./announcements.tsx";
import { InterfaceDocs } from "./interface-docs.tsx";
import { Markdown } from "./markdown.tsx";
import { useChangelog, useDocument } from "./use-document.ts";

interface DocsSection {
  readonly id: string;
  readonly label: string;
  readonly Content: () => ReactNode;
  /** Announcements are limited to models that the person may see. */
  readonly needsSignIn?: true;
}

const SECTIONS: readonly DocsSection[] = [
  { id: "api", label: "Public API", Content: PublicApi },
  { id: "platform", label: "Platform API", Content: PlatformApi },
  { id: "changelog", label: "Changelog", Content: Changelog },
  { id: "announcements", label: "Announcements", Content: Announcements, needsSignIn: true },
];

export function DocsPage(): ReactNode {
  const me = use(MeContext);
  const { section = "api" } = useParams({ strict: false });
  const sections = SECTIONS.filter(({ needsSignIn }) => me || !needsSignIn);
  const open = sections.find(({ id }) => id === section);
  if (!open) return <NotFound />;
  return (
    <Page title={open.label} heading="Docs">
      <nav aria-label="Docs" className="tab-strip">
        {sections.map(({ id, label }) => (
          <Link
            key={id}
            to="/docs/$section"
            params={{ section: id }}
            aria-current={id === open.id ? "page" : undefined}
            className="border-b-2 border-transparent px-0.5 pb-1.5 -outline-offset-2 whitespace-nowrap text-ink-3 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            {label}
          </Link>
        ))}
      </nav>
      <open.Content />
    </Page>
  );
}

function PublicApi(): ReactNode {
  const document = useDocument("gateway");
  return <Fetched of={document}>{(shown) => <InterfaceDocs document={shown} file="gateway.json" />}</Fetched>;
}

function PlatformApi(): ReactNode {
  const document = useDocument("platform");
  return <Fetched of={document}>{(shown) => <InterfaceDocs document={shown} file="platform.json" />}</Fetched>;
}

function Changelog(): ReactNode {
  const changelog = useChangelog();
  return <Fetched of={changelog}>{(text) => <Markdown text={text.replace(/^# .*\n/, "")} />}</Fetched>;
}

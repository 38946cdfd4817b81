import type { ReactNode } from "react";
import type { Session } from "../../platform/interface.ts";
import { useChange, useLook } from "../../platform/use-platform.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";

/** Where one is signed in. */
export function Sessions(): ReactNode {
  const sessions = useLook("listSessions", {});
  const end = useChange("endSession");
  const columns: readonly Column<Session>[] = [
    {
      title: "Browser",
      cell: ({ user_agent, current }) => (
        <span className="flex items-center gap-2">
          <span className="truncate" title={user_agent ?? ""}>
            {nameOf(user_agent)}
          </span>
          {current && <Badge tone="good">this one</Badge>}
        </span>
      ),
    },
    { title: "Address", cell: ({ address }) => address ?? "–", from: "sm" },
    { title: "Began", cell: ({ created_at }) => <Time at={created_at} />, from: "md" },
    { title: "Last seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { title: "Ends", cell: ({ expires_at }) => <Time at={expires_at} />, from: "lg" },
    {
      title: "",
      figures: true,
      cell: ({ id, current, user_agent }) =>
        !current && (
          <Button
            small
            aria-label={`End the session of ${nameOf(user_agent)}`}
            onClick={() => end.mutate({ path: { id } }, { onSuccess: () => toast("The session has ended.") })}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <Section title="Sessions" about="Every browser that is signed in as you. End those that you do not know." flush>
      {end.error && <Notice tone="bad">{end.error.message}</Notice>}
      <Fetched of={sessions}>{({ data }) => <Table label="Sessions" columns={columns} rows={data} keyOf={({ id }) => id} />}</Fetched>
    </Section>
  );
}

const BROWSERS = ["Edg", "OPR", "Firefox", "Chrome", "Safari"] as const;
const NAMES: Record<string, string> = { Edg: "Edge", OPR: "Opera" };
const SYSTEMS = ["Windows", "Android", "iPhone", "iPad", "Mac OS X", "Linux"] as const;

/** What a browser says of itself, in two words; the whole stands in the title. */
function nameOf(userAgent: string | null): string {
  const browser = BROWSERS.find((name) => userAgent?.includes(`${name}/`));
  const system = SYSTEMS.find((name) => userAgent?.includes(name));
  if (!browser) return userAgent ?? "unknown";
  return `${NAMES[browser] ?? browser}${system ? ` on ${system === "Mac OS X" ? "macOS" : system}` : ""}`;
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call } from "../../platform/call.ts";
import type { Session } from "../../../../platform-client/types.ts";
import { useApiMutation, useApiQuery, useResetOnExpiry } from "../../platform/use-api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Fetched } from "../../parts/states.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/overlays/toasts.tsx";
import { browserName } from "./browser-name.ts";

/** The browser sessions of the signed-in person. */
export function Sessions(): ReactNode {
  const sessions = useApiQuery("listSessions", {});
  const end = useApiMutation("endSession");
  const others = sessions.data?.data.filter(({ current }) => !current) ?? [];
  const endOne = ({ id }: Session): void => end.mutate({ path: { id } }, { onSuccess: () => toast("Session ended.") });
  return (
    <Section
      title="Sessions"
      about="Browsers that are signed in as you. End any session that you do not recognize."
      actions={others.length > 1 && <EndOthers others={others} />}
      flush
    >
      {end.error && (
        <div className="p-4 pb-2">
          <Notice tone="bad">{end.error.message}</Notice>
        </div>
      )}
      <Fetched of={sessions}>
        {({ data }) => <Table label="Sessions" columns={columnsFor(endOne)} rows={data} keyOf={({ id }) => id} />}
      </Fetched>
    </Section>
  );
}

function columnsFor(onEnd: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      title: "Browser",
      cell: ({ user_agent, current }) => (
        <span className="flex items-center gap-2">
          <span className="truncate" title={user_agent ?? ""}>
            {browserName(user_agent)}
          </span>
          {current && <Badge tone="good">current</Badge>}
        </span>
      ),
    },
    { title: "IP address", cell: ({ address }) => address ?? "–", from: "sm" },
    { title: "Started", cell: ({ created_at }) => <Time at={created_at} />, from: "xl" },
    { title: "Last seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { title: "Expires", cell: ({ expires_at }) => <Time at={expires_at} />, from: "xl" },
    {
      title: "",
      figures: true,
      cell: (session) =>
        !session.current && (
          <Button small aria-label={`End session on ${browserName(session.user_agent)}`} onClick={() => onEnd(session)}>
            End
          </Button>
        ),
    },
  ];
}

function EndOthers({ others }: { readonly others: readonly Session[] }): ReactNode {
  const client = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const end = useMutation({
    mutationKey: ["endSession"],
    mutationFn: () => Promise.all(others.map(({ id }) => call("endSession", { path: { id } }))),
    onSuccess: () => {
      setConfirming(false);
      toast("All other sessions ended.");
    },
    onSettled: () => void client.invalidateQueries(),
  });
  useResetOnExpiry(end);
  return (
    <>
      <Button onClick={() => setConfirming(true)}>End all others</Button>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={`End your ${others.length} other sessions?`}
        action="End sessions"
        change={end}
        onConfirm={() => end.mutate()}
      >
        Those browsers must sign in again. This session and your access tokens stay active.
      </Confirm>
    </>
  );
}

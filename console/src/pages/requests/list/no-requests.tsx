import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useApiQuery } from "../../../platform/use-api.ts";
import { Button, buttonClass } from "../../../parts/button.tsx";
import { Mono } from "../../../parts/code.tsx";
import { Empty, Loading } from "../../../parts/states.tsx";
import { useMe } from "../../../shell/me.ts";

/** The empty states: no match, no requests yet, or the request log is off. */
export function NoRequests({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }): ReactNode {
  const { data: about, error } = useApiQuery("showAbout", {});
  if (!about && !error) return <Loading />;
  if (about?.request_log_days === 0) return <LogOff />;
  if (isFiltered) {
    return (
      <Empty title="No matching requests" action={<Button onClick={onClear}>Clear filters</Button>}>
        {about && `Requests are stored for ${about.request_log_days} days.`}
      </Empty>
    );
  }
  return (
    <Empty
      title="No requests yet"
      action={
        <Link to="/playground" className={buttonClass("primary")}>
          Send a request in the playground
        </Link>
      }
    >
      Requests appear here when they complete, with their outcome and cost.
    </Empty>
  );
}

function LogOff(): ReactNode {
  const { isOperator } = useMe();
  return (
    <Empty title="The request log is off">
      <p>Requests are served and charged, but not logged.</p>
      {isOperator ? (
        <p>
          Set <Mono>TOLLGATE_REQUEST_LOG_DAYS</Mono> to the retention in days and restart Tollgate.
        </p>
      ) : (
        <p>An operator can change that.</p>
      )}
    </Empty>
  );
}

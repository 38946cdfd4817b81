import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLook } from "../../platform/use-platform.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Empty, Loading } from "../../parts/states.tsx";
import { useMe } from "../../shell/me.ts";

/** Why there are none: nothing matches, none have come, or none are kept. */
export function NoRequests({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }): ReactNode {
  const { data: about, error } = useLook("showAbout", {});
  if (!about && !error) return <Loading />;
  if (about?.request_log_days === 0) return <LogIsOff />;
  if (isFiltered) {
    return (
      <Empty title="No request matches" action={<Button onClick={onClear}>Clear the filters</Button>}>
        {about && `Requests are kept for ${about.request_log_days} days.`}
      </Empty>
    );
  }
  return (
    <Empty
      title="No requests yet"
      action={
        <Link to="/playground" className={buttonClass("primary")}>
          Ask something in the playground
        </Link>
      }
    >
      A request is listed when it has ended, with what became of it and what it cost.
    </Empty>
  );
}

function LogIsOff(): ReactNode {
  const { isOperator } = useMe();
  return (
    <Empty title="The request log is off">
      <p>Requests are answered and charged, and not kept.</p>
      {isOperator ? (
        <p>
          Set <Mono>TOLLGATE_REQUEST_LOG_DAYS</Mono> to the days that they are to be kept for, and start Tollgate again.
        </p>
      ) : (
        <p>An operator can change that.</p>
      )}
    </Empty>
  );
}

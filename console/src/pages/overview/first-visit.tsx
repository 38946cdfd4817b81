import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../../parts/button.tsx";
import { Empty } from "../../parts/states.tsx";
import { useMe } from "../../shell/me.ts";

/** The empty state before the first request. */
export function FirstVisit(): ReactNode {
  const { isOperator } = useMe();
  return (
    <div className="card">
      <Empty
        title="No requests yet"
        action={
          <>
            <Link to={isOperator ? "/start" : "/keys"} className={buttonClass("primary")}>
              {isOperator ? "Get started" : "Create key"}
            </Link>
            <Link to="/playground" className={buttonClass()}>
              Open playground
            </Link>
          </>
        }
      >
        Spend, errors and latency appear here after the first request with a key.
      </Empty>
    </div>
  );
}

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../../parts/button.tsx";
import { Empty } from "../../parts/states.tsx";
import { useMe } from "../../shell/me.ts";

/** Before the first request there is nothing to draw, but something to do. */
export function FirstVisit(): ReactNode {
  const { isOperator } = useMe();
  return (
    <div className="card">
      <Empty
        title="No request has been made yet"
        action={
          <>
            <Link to={isOperator ? "/start" : "/keys"} className={buttonClass("primary")}>
              {isOperator ? "Get started" : "Create key"}
            </Link>
            <Link to="/playground" className={buttonClass()}>
              Open the playground
            </Link>
          </>
        }
      >
        As soon as a key is used, spend, errors and times are shown here.
      </Empty>
    </div>
  );
}

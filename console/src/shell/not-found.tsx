import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";

export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <Empty
        title="There is no page at this URL"
        action={
          <Link to="/" className={buttonClass()}>
            Go to overview
          </Link>
        }
      >
        The URL is mistyped, or the resource was removed.
      </Empty>
    </Page>
  );
}

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { buttonClass } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";

export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <Empty
        title="There is nothing at this address"
        action={
          <Link to="/" className={buttonClass()}>
            To the overview
          </Link>
        }
      >
        It was mistyped, or what was here has been removed.
      </Empty>
    </Page>
  );
}

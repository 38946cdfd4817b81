import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function KeyPage(): ReactNode {
  return (
    <Page title="Key">
      <Empty title="Not built yet" />
    </Page>
  );
}

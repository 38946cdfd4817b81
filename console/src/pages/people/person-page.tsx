import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function PersonPage(): ReactNode {
  return (
    <Page title="Person">
      <Empty title="Not built yet" />
    </Page>
  );
}

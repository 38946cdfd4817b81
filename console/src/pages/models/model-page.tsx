import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function ModelPage(): ReactNode {
  return (
    <Page title="Model">
      <Empty title="Not built yet" />
    </Page>
  );
}

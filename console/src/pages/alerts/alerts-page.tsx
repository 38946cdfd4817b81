import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function AlertsPage(): ReactNode {
  return (
    <Page title="Alerts">
      <Empty title="Not built yet" />
    </Page>
  );
}

import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function AuditPage(): ReactNode {
  return (
    <Page title="Audit">
      <Empty title="Not built yet" />
    </Page>
  );
}

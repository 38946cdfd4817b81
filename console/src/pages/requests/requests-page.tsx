import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function RequestsPage(): ReactNode {
  return (
    <Page title="Requests">
      <Empty title="Not built yet" />
    </Page>
  );
}

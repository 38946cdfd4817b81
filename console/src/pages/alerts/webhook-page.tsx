import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function WebhookPage(): ReactNode {
  return (
    <Page title="Webhook">
      <Empty title="Not built yet" />
    </Page>
  );
}

import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function AccountsPage(): ReactNode {
  return (
    <Page title="Accounts">
      <Empty title="Not built yet" />
    </Page>
  );
}

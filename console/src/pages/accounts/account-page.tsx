import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function AccountPage(): ReactNode {
  return (
    <Page title="Account">
      <Empty title="Not built yet" />
    </Page>
  );
}

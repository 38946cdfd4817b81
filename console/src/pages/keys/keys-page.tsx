import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function KeysPage(): ReactNode {
  return (
    <Page title="Keys">
      <Empty title="Not built yet" />
    </Page>
  );
}

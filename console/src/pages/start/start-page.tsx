import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function StartPage(): ReactNode {
  return (
    <Page title="First steps">
      <Empty title="Not built yet" />
    </Page>
  );
}

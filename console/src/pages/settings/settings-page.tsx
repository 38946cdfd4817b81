import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function SettingsPage(): ReactNode {
  return (
    <Page title="Settings">
      <Empty title="Not built yet" />
    </Page>
  );
}

import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly content: ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The open tab, if it is controlled from outside, such as by the URL. */
  readonly open?: string;
  readonly onOpen?: (id: string) => void;
}

/** Tabs, with arrow-key navigation. */
export function Tabs({ label, tabs, open, onOpen }: TabsProps): ReactNode {
  return (
    <Base.Root {...(open === undefined ? { defaultValue: tabs[0]!.id } : { value: open })} onValueChange={(id) => onOpen?.(String(id))}>
      <Base.List aria-label={label} className="tab-strip">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.id}
            value={tab.id}
            className="border-b-2 border-transparent px-0.5 pb-1.5 -outline-offset-2 text-ink-3 whitespace-nowrap hover:text-ink data-active:border-accent data-active:font-medium data-active:text-ink"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.id} value={tab.id} className="min-w-0 pt-3 outline-offset-4">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}

import {
  Bell,
  BookOpen,
  Boxes,
  CircleDollarSign,
  ChartColumn,
  KeyRound,
  MessageSquareText,
  Plug,
  Scale,
  Tags,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  Users,
  Wallet,
  type LucideIcon,
} from "lucide-react";
import type { LinkProps } from "@tanstack/react-router";

interface NavigationItem {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
  readonly Icon: LucideIcon;
  /** Hidden from members, whose API calls there would return 403. */
  readonly isForOperators?: true;
}

/** The navigation, most used first. */
export const NAVIGATION: readonly { readonly title: string; readonly items: readonly NavigationItem[] }[] = [
  {
    title: "Monitor",
    items: [
      { to: "/", label: "Overview", Icon: ChartColumn },
      { to: "/requests", label: "Requests", Icon: ScrollText },
      { to: "/margin", label: "Margin", Icon: CircleDollarSign, isForOperators: true },
      { to: "/reconciliation", label: "Reconciliation", Icon: Scale, isForOperators: true },
      { to: "/playground", label: "Playground", Icon: MessageSquareText },
    ],
  },
  {
    title: "Catalog",
    items: [
      { to: "/models", label: "Models", Icon: Boxes },
      { to: "/price-lists", label: "Price lists", Icon: Tags, isForOperators: true },
      { to: "/upstreams", label: "Upstreams", Icon: Plug, isForOperators: true },
    ],
  },
  {
    title: "Access",
    items: [
      { to: "/keys", label: "Keys", Icon: KeyRound },
      { to: "/accounts", label: "Accounts", Icon: Wallet },
      { to: "/people", label: "People", Icon: Users, isForOperators: true },
    ],
  },
  {
    title: "Admin",
    items: [
      { to: "/alerts", label: "Alerts", Icon: Bell, isForOperators: true },
      { to: "/instances", label: "Instances", Icon: Server, isForOperators: true },
      { to: "/audit", label: "Audit log", Icon: ShieldCheck, isForOperators: true },
      { to: "/settings", label: "Settings", Icon: Settings },
      { to: "/docs", label: "Docs", Icon: BookOpen },
    ],
  },
];

/** The navigation of an operator or a member. */
export function navigationFor(isOperator: boolean): typeof NAVIGATION {
  return NAVIGATION.map(({ title, items }) => ({ title, items: items.filter((item) => isOperator || !item.isForOperators) }));
}

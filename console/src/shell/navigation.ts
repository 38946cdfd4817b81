import {
  Bell,
  BookOpen,
  Boxes,
  ChartColumn,
  KeyRound,
  MessageSquareText,
  Plug,
  ScrollText,
  Settings,
  ShieldCheck,
  Users,
  Wallet,
} from "lucide-react";
import type { LinkProps } from "@tanstack/react-router";
import type { LucideIcon } from "lucide-react";

interface NavigationItem {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
  readonly Icon: LucideIcon;
  /** Members have no use for it: the platform would refuse them. */
  readonly isForOperators?: true;
}

/** Where one can go, in the order of how often one does. */
export const NAVIGATION: readonly { readonly title: string; readonly places: readonly NavigationItem[] }[] = [
  {
    title: "Use",
    places: [
      { to: "/", label: "Overview", Icon: ChartColumn },
      { to: "/requests", label: "Requests", Icon: ScrollText },
      { to: "/playground", label: "Playground", Icon: MessageSquareText },
    ],
  },
  {
    title: "Catalog",
    places: [
      { to: "/models", label: "Models", Icon: Boxes },
      { to: "/upstreams", label: "Upstreams", Icon: Plug, isForOperators: true },
    ],
  },
  {
    title: "Access",
    places: [
      { to: "/keys", label: "Keys", Icon: KeyRound },
      { to: "/accounts", label: "Accounts", Icon: Wallet },
      { to: "/people", label: "People", Icon: Users, isForOperators: true },
    ],
  },
  {
    title: "Operation",
    places: [
      { to: "/alerts", label: "Alerts", Icon: Bell, isForOperators: true },
      { to: "/audit", label: "Audit", Icon: ShieldCheck, isForOperators: true },
      { to: "/settings", label: "Settings", Icon: Settings },
      { to: "/docs", label: "Docs", Icon: BookOpen },
    ],
  },
];

/** Where this person can go. */
export function navigationFor(isOperator: boolean): typeof NAVIGATION {
  return NAVIGATION.map(({ title, places }) => ({ title, places: places.filter((place) => isOperator || !place.isForOperators) }));
}

import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AccountView } from "./account-view.tsx";

const route = getRouteApi("/signed-in/accounts/$id");

export function AccountPage(): ReactNode {
  const { id } = route.useParams();
  return <AccountView id={id} />;
}

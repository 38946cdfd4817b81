import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Refusal } from "../platform/call.ts";
import { useLook } from "../platform/use-platform.ts";
import { Failed } from "../parts/states.tsx";
import { ForOperators } from "./for-operators.tsx";
import { Frame } from "./frame.tsx";
import { MeContext } from "./me.ts";
import { SignIn } from "./sign-in.tsx";

/** Lets in whoever is signed in, and asks the others to: on the page where they are, so that they find it again. */
export function Gate(): ReactNode {
  const { data: me, error, refetch } = useLook("showMe", {});
  if (error instanceof Refusal && error.status === 401) return <SignIn />;
  if (error && !me) return <Failed error={error} retry={() => void refetch()} />;
  if (!me) return null;
  return (
    <MeContext value={me}>
      <Frame>
        <ForOperators>
          <Outlet />
        </ForOperators>
      </Frame>
    </MeContext>
  );
}

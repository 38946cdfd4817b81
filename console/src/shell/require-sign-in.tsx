import { Outlet } from "@tanstack/react-router";
import { Activity, type ReactNode } from "react";
import { isUnknown } from "../platform/call.ts";
import { useLook } from "../platform/use-platform.ts";
import { Failed } from "../parts/states.tsx";
import { OperatorsOnly } from "./operators-only.tsx";
import { Layout } from "./layout.tsx";
import { MeContext } from "./me.ts";
import { SignIn } from "./sign-in.tsx";

/** Lets in whoever is signed in, and asks the others to: on the page where they are, so that they find it again. */
export function RequireSignIn(): ReactNode {
  const { data: me, error, refetch } = useLook("showMe", {});
  const isClosed = isUnknown(error);
  if (!me && isClosed) return <SignIn />;
  if (!me && error) return <Failed error={error} retry={() => void refetch()} />;
  if (!me) return null;
  return (
    <>
      {isClosed && <SignIn last={me.person?.id} />}
      {/* A session that has ended takes nothing with it: whoever it was signs in again and finds what was typed. */}
      <Activity key={me.person?.id} mode={isClosed ? "hidden" : "visible"}>
        <MeContext value={me}>
          <Layout>
            <OperatorsOnly>
              <Outlet />
            </OperatorsOnly>
          </Layout>
        </MeContext>
      </Activity>
    </>
  );
}

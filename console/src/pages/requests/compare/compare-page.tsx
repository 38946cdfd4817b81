import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeftRight } from "lucide-react";
import type { ReactNode } from "react";
import { useApiQuery } from "../../../platform/use-api.ts";
import { Button } from "../../../parts/button.tsx";
import { TextField } from "../../../parts/inputs/field.tsx";
import { formFields } from "../../../parts/inputs/form.ts";
import { Page, Section } from "../../../parts/page.tsx";
import { Fetched } from "../../../parts/states.tsx";
import { textLink } from "../../../parts/text-link.ts";
import { ComparedBodies } from "./compared-bodies.tsx";
import { ComparedFacts } from "./compared-facts.tsx";

const route = getRouteApi("/signed-in/requests/compare");

/** Two requests side by side. Both are in the URL. */
export function ComparePage(): ReactNode {
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page
      title="Compare requests"
      wide
      docs="console#requests"
      above={
        <Link to="/requests" className={textLink}>
          Requests
        </Link>
      }
      actions={
        a !== undefined &&
        b !== undefined && (
          <Button onClick={() => void navigate({ search: { a: b, b: a }, replace: true })}>
            <ArrowLeftRight size={14} aria-hidden />
            Swap
          </Button>
        )
      }
    >
      {a !== undefined && b !== undefined ? (
        <Comparison key={`${a} ${b}`} a={a} b={b} />
      ) : (
        <Choice a={a} b={b} onChoose={(search) => void navigate({ search })} />
      )}
    </Page>
  );
}

function Comparison({ a, b }: { readonly a: string; readonly b: string }): ReactNode {
  const left = useApiQuery("showRequest", { path: { requestId: a } });
  const right = useApiQuery("showRequest", { path: { requestId: b } });
  return (
    <Fetched of={left} lines={8}>
      {(first) => (
        <Fetched of={right} lines={8}>
          {(second) => (
            <>
              <Section title="Request" flush>
                <ComparedFacts left={first} right={second} />
              </Section>
              <ComparedBodies left={first} right={second} />
            </>
          )}
        </Fetched>
      )}
    </Fetched>
  );
}

interface ChoiceProps {
  readonly a: string | undefined;
  readonly b: string | undefined;
  readonly onChoose: (chosen: { readonly a: string; readonly b: string }) => void;
}

function Choice({ a, b, onChoose }: ChoiceProps): ReactNode {
  return (
    <Section title="Select two requests">
      <form
        className="flex max-w-lg flex-col items-start gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const given = formFields(event.currentTarget, "a", "b");
          onChoose({ a: given.a.trim(), b: given.b.trim() });
        }}
      >
        <TextField label="Request ID" name="a" defaultValue={a} required autoFocus={a === undefined} className="w-full" />
        <TextField label="Compare with request ID" name="b" defaultValue={b} required autoFocus={a !== undefined} className="w-full" />
        <Button type="submit" weight="primary">
          Compare
        </Button>
      </form>
    </Section>
  );
}

import { Link } from "@tanstack/react-router";
import { UserRoundCog } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button, IconButton } from "../parts/button.tsx";
import { Select } from "../parts/inputs/field.tsx";
import { compactCount, count, money } from "../parts/format/format.ts";
import { Section } from "../parts/page.tsx";
import { Fetched } from "../parts/states.tsx";
import { Table, type Column } from "../parts/table.tsx";
import { textLink } from "../parts/text-link.ts";
import type { Account, UsageRow } from "../../../platform-client/types.ts";
import { describeDays, spanOf } from "../breakdown/range.ts";
import { TagInput } from "../breakdown/tag-input.tsx";
import { useLast30Days } from "../breakdown/use-last-30-days.ts";
import { useApiQuery } from "../platform/use-api.ts";
import { EndUserData } from "./end-user-data.tsx";

const CHOICES = [
  { value: "user", label: "By end user" },
  { value: "conversation", label: "By conversation" },
  { value: "tag", label: "By tag" },
] as const;

type Choice = (typeof CHOICES)[number]["value"];

const TITLES: Readonly<Record<Choice, string>> = { user: "End user", conversation: "Conversation", tag: "Value" };

/** Group names that only reports use. They have no requests to list. */
const IN_REPORTS: ReadonlySet<string> = new Set(["other", "erased"]);
/** The name for requests without an end user. */
const NOBODY = "none";

const LIMIT = 20;

/** The most expensive end users, conversations or values of a tag of an account, over 30 days. */
export function AttributedUsage({
  of,
  isOperator,
}: {
  readonly of: Pick<Account, "id" | "attribution" | "metadata_tags">;
  readonly isOperator: boolean;
}): ReactNode {
  const [choice, setChoice] = useState<Choice>("user");
  /** The end user whose data will be exported or erased. */
  const [dataOf, setDataOf] = useState<string>();
  const range = useLast30Days();
  const [tag, setTag] = useState(of.metadata_tags[0] ?? "team");
  if (of.attribution === "off") return null;
  return (
    <Section
      title="Cost attribution, last 30 days"
      about={`${describeDays(range, Date.now())}. Highest cost first, up to ${LIMIT} rows.`}
      actions={
        <>
          {isOperator && <Button onClick={() => setDataOf("")}>End-user data</Button>}
          <Select aria-label="Group by" choices={CHOICES} value={choice} onChange={({ target }) => setChoice(target.value as Choice)} />
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {choice === "tag" && <TagInput key={tag} tag={tag} onChange={setTag} />}
        <Rows account={of.id} choice={choice} tag={tag} {...(isOperator && choice === "user" && { onData: setDataOf })} />
        {dataOf !== undefined && <EndUserData account={of.id} user={dataOf} onClose={() => setDataOf(undefined)} />}
      </div>
    </Section>
  );
}

interface RowsProps {
  readonly account: string;
  readonly choice: Choice;
  readonly tag: string;
  /** Opens the data of an end user. */
  readonly onData?: (user: string) => void;
}

function Rows({ account, choice, tag, onData }: RowsProps): ReactNode {
  const by = choice === "tag" ? `tag:${tag}` : choice;
  const usage = useApiQuery("showUsage", { query: { ...spanOf(useLast30Days()), account, by, order: "cost", limit: LIMIT } });
  return (
    <Fetched of={usage} lines={4}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="text-ink-3">No completed requests in the last 30 days.</p>
        ) : (
          <div className="rounded-md border border-line">
            <Table
              label="Cost attribution"
              columns={[...columnsOf(account, choice, tag), ...(onData ? [dataColumn(onData)] : [])]}
              rows={data}
              keyOf={(row) => row[choice]!}
            />
          </div>
        )
      }
    </Fetched>
  );
}

function columnsOf(account: string, choice: Choice, tag: string): readonly Column<UsageRow>[] {
  return [
    { title: TITLES[choice], cell: (row) => <Name account={account} choice={choice} tag={tag} name={row[choice]!} /> },
    { title: "Completed", cell: ({ requests }) => count(requests), figures: true },
    { title: "Input tokens", cell: ({ prompt_tokens: tokens }) => compactCount(tokens), figures: true },
    { title: "Output tokens", cell: ({ completion_tokens: tokens }) => compactCount(tokens), figures: true },
    { title: "Cost", cell: ({ cost }) => money(cost), figures: true },
  ];
}

function dataColumn(onData: (user: string) => void): Column<UsageRow> {
  return {
    title: "Data",
    cell: ({ user }) =>
      user != null &&
      user !== NOBODY &&
      !IN_REPORTS.has(user) && (
        <IconButton label={`Data of ${user}`} onClick={() => onData(user)} className="-my-1.5">
          <UserRoundCog size={16} aria-hidden />
        </IconButton>
      ),
    className: "w-0",
  };
}

interface NameProps {
  readonly account: string;
  readonly choice: Choice;
  readonly tag: string;
  readonly name: string;
}

/** Links to the requests. */
function Name({ account, choice, tag, name }: NameProps): ReactNode {
  if (IN_REPORTS.has(name)) return <span className="text-ink-3">{name}</span>;
  const filter = choice === "tag" ? { tag: `${tag}:${name}` } : { [choice]: name };
  return (
    <Link to="/requests" search={{ account, ...filter }} className={textLink}>
      <span className="break-all">{name}</span>
    </Link>
  );
}

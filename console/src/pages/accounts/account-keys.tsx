import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { useApiQuery } from "../../platform/use-api.ts";
import { CreateKey } from "../keys/create-key.tsx";
import { KEY_COLUMNS_OF_ACCOUNT } from "../keys/key-columns.tsx";

/** The newest keys of an account, with a link to all of them. */
export function AccountKeys({ account }: { readonly account: string }): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const keys = useApiQuery("listKeys", { query: { account, limit: 10 } });
  return (
    <Section
      title="Keys"
      flush
      actions={
        <>
          <Link to="/keys" search={{ account }} className={buttonClass("quiet", true)}>
            All keys
          </Link>
          <Button small onClick={() => setCreating(true)}>
            Create key
          </Button>
        </>
      }
    >
      <Fetched of={keys} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No keys yet">Create a key to call models on this account's credit.</Empty>
          ) : (
            <Table label="Keys" columns={KEY_COLUMNS_OF_ACCOUNT} rows={data} keyOf={({ id }) => id} />
          )
        }
      </Fetched>
      {isCreating && <CreateKey account={account} onClose={() => setCreating(false)} />}
    </Section>
  );
}

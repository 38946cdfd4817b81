"""LiteLLM's own authentication over rows of its tables: reads {"tables", "keys", "models"} from stdin, and prints by key and model whether it is accepted."""

import asyncio
import json
import sys
from datetime import datetime
from types import SimpleNamespace

import litellm.proxy.proxy_server as server
from fastapi import HTTPException, Request
from litellm import Router
from litellm.proxy._types import LiteLLM_VerificationTokenView, ProxyException
from litellm.proxy.auth.user_api_key_auth import user_api_key_auth

TIMES = ("expires", "budget_reset_at", "created_at", "updated_at", "revoke_at", "window_start")


class Row(SimpleNamespace):
    def dict(self, **_):
        return dict(self.__dict__)

    model_dump = dict

    def __iter__(self):
        return iter(self.__dict__.items())

    def __getattr__(self, name):
        if name == "keys":
            raise AttributeError(name)
        return None


def to_row(fields):
    return Row(**{name: datetime.fromisoformat(value + "+00:00") if name in TIMES and value else value for name, value in fields.items()})


class Table:
    def __init__(self, rows):
        self.rows = [to_row(row) for row in rows]

    async def find_many(self, where=None, **_):
        plain = {name: value for name, value in (where or {}).items() if not isinstance(value, dict)}
        return [row for row in self.rows if all(getattr(row, name) == value for name, value in plain.items())]

    async def find_first(self, where=None, **_):
        return next(iter(await self.find_many(where)), None)

    find_unique = find_first

    async def upsert(self, **_):
        return None

    update = update_many = create = count = upsert


class Database:
    def __init__(self, tables):
        self.tables = {name.lower(): Table(rows) for name, rows in tables.items()}

    def __getattr__(self, name):
        return self.tables.get(name, Table([]))


class Client:
    """What LiteLLM's client of the database does for authentication."""

    def __init__(self, tables):
        self.db = Database(tables)
        self.writer_db = self.db
        self.proxy_logging_obj = None

    async def get_data(self, token=None, table_name=None, **_):
        if table_name != "combined_view":
            return None
        row = await self.db.litellm_verificationtoken.find_unique({"token": token})
        if row is None:
            old = await self.db.litellm_deprecatedverificationtoken.find_unique({"token": token})
            if old is None or old.revoke_at <= datetime.now(old.revoke_at.tzinfo):
                return None
            row = await self.db.litellm_verificationtoken.find_unique({"token": old.active_token_id})
        team = await self.db.litellm_teamtable.find_unique({"team_id": row.team_id}) if row.team_id else None
        fields = row.dict()
        if team is not None:
            for name in ("max_budget", "spend", "models", "blocked", "tpm_limit", "rpm_limit", "metadata"):
                fields["team_" + name] = getattr(team, name)
        return LiteLLM_VerificationTokenView(**{name: value for name, value in fields.items() if value is not None})


async def outcome_of(key, model):
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": "Hello"}]}).encode()

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", b"application/json"), (b"authorization", f"Bearer {key}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": headers, "query_string": b"", "client": ("127.0.0.1", 1)}
    scope |= {"server": ("127.0.0.1", 4000), "scheme": "http", "root_path": "", "app": server.app}
    try:
        await user_api_key_auth(request=Request(scope, receive), api_key=f"Bearer {key}")
        return "accepted"
    except (ProxyException, HTTPException):
        return "rejected"


async def main():
    given = json.load(sys.stdin)
    server.prisma_client = Client(given["tables"])
    server.master_key = "sk-master-of-the-test"
    server.general_settings = {"master_key": server.master_key}
    groups = given["groups"]
    server.llm_router = Router(
        model_list=[
            {
                "model_name": model,
                "litellm_params": {"model": f"openai/{model}", "api_key": "none", "input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6},
                "model_info": {"access_groups": groups.get(model, [])},
            }
            for model in given["models"]
        ]
    )
    outcomes = {name: [await outcome_of(key, model) for model in given["models"]] for name, key in given["keys"].items()}
    print(json.dumps(outcomes))


asyncio.run(main())

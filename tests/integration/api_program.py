"""A program that calls the API of a service, and holds every answer against the description."""

import json
import re
from dataclasses import dataclass
from typing import Any

from dashboard_calls import DashboardClient, PageAnswer
from jsonschema import Draft202012Validator

from webkeep.dashboard.rest.api_call import API_PREFIX
from webkeep.dashboard.rest.openapi import describe_api


@dataclass
class Program:
    """A client that shows a token, and holds every answer against the description."""

    client: DashboardClient
    secret: str = ""

    def call(self, method: str, path: str, body: object = None, **headers: str) -> PageAnswer:
        content = None if body is None else json.dumps(body).encode()
        sent = {"content_type": "application/json"} if body is not None else {}
        if self.secret:
            sent["authorization"] = f"Bearer {self.secret}"
        answer = self.client.ask(API_PREFIX + path, method, content, **(sent | headers))
        check_answer(method, path.partition("?")[0], answer)
        return answer

    def get(self, path: str) -> Any:
        answer = self.call("GET", path)
        assert answer.status == 200, answer.text
        return json.loads(answer.body)

    def send(self, path: str, body: object = None, method: str = "POST") -> Any:
        answer = self.call(method, path, body if body is not None else {})
        assert answer.status in (200, 201, 204), answer.text
        return json.loads(answer.body) if answer.body else None

    def refuse(self, path: str, body: object = None, method: str = "POST", status: int = 400) -> str:
        answer = self.call(method, path, body)
        assert answer.status == status, answer.text
        line: str = json.loads(answer.body)["error"]
        assert line and "\n" not in line
        return line


def check_answer(method: str, path: str, answer: PageAnswer) -> None:
    """An answer is what the description says of it."""
    description = describe_api()
    patterns = {each: re.sub(r"\{\w+\}", "[^/]+", each) for each in description["paths"]}
    described = next(
        (description["paths"][each] for each, pattern in patterns.items() if re.fullmatch(pattern, API_PREFIX + path)),
        {},
    ).get(method.lower())
    if described is None:
        assert answer.status in (404, 405), answer.text
        return
    response = described["responses"][str(answer.status)]
    if "content" not in response:
        assert answer.body == b""
        return
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in response["content"] or "application/octet-stream" in response["content"], (path, kind)
    if kind == "application/json":
        schema = {**response["content"][kind]["schema"], "components": description["components"]}
        Draft202012Validator(schema).validate(json.loads(answer.body))

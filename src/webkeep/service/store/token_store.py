"""API tokens as rows, found by their hash."""

from __future__ import annotations

from webkeep.errors import UsageError
from webkeep.model import Moment
from webkeep.service.accounts import ApiToken, hash_secret, parse_scope
from webkeep.service.store.sql_database import ResultRow, SqlDatabase

_TOKEN = "id, account, label, scope, collection, created, expires, used"
_NOTED_SECONDS = 60
"""So much later a use is noted again."""
_MAX_TOKENS = 100
"""Of one account: nobody can tell more of them apart."""


class TokenStore:
    """All tokens of a service."""

    def __init__(self, database: SqlDatabase) -> None:
        self._sql = database

    def create(self, token: ApiToken, secret: str) -> None:
        """Keep a token by the hash of what its owner is shown once."""
        with self._sql.transaction():
            if len(self.list_tokens(token.account)) >= _MAX_TOKENS:
                raise UsageError(f"an account has at most {_MAX_TOKENS} tokens; revoke those that nothing uses")
            expires = None if token.expires is None else token.expires.micros
            named = (token.id, token.account, token.label, token.scope.value, token.collection)
            values = (*named, token.created.micros, expires, None, hash_secret(secret))
            self._sql.change(f"INSERT INTO api_token ({_TOKEN}, key) VALUES (?,?,?,?,?,?,?,?,?)", values)

    def find(self, secret: str, now: Moment) -> ApiToken | None:
        """The token that somebody shows, where it still holds."""
        rows = self._sql.rows(f"SELECT {_TOKEN} FROM api_token WHERE key = ?", (hash_secret(secret),))
        token = _token_from_row(rows[0]) if rows else None
        if token is None or not token.is_live(now):
            return None
        if token.used is None or now.seconds_since(token.used) >= _NOTED_SECONDS:
            self._sql.change("UPDATE api_token SET used = ? WHERE id = ?", (now.micros, token.id))
        return token

    def list_tokens(self, account: str) -> list[ApiToken]:
        """Those of an account, the newest first."""
        query = f"SELECT {_TOKEN} FROM api_token WHERE account = ? ORDER BY created DESC, id"
        return [_token_from_row(row) for row in self._sql.rows(query, (account,))]

    def revoke(self, account: str, token_id: str) -> None:
        """End a token of an account."""
        if not self._sql.change("DELETE FROM api_token WHERE id = ? AND account = ?", (token_id, account)):
            raise UsageError("there is no such token; it may have been revoked already")


def _token_from_row(row: ResultRow) -> ApiToken:
    token_id, account, label, scope, collection, created, expires, used = row
    ends = None if expires is None else Moment(int(expires))
    last = None if used is None else Moment(int(used))
    named = (str(token_id), str(account), str(label))
    return ApiToken(*named, parse_scope(str(scope)), str(collection), Moment(int(created or 0)), ends, last)

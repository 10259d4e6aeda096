import pytest

from webkeep.redaction import find_secrets


@pytest.mark.parametrize(
    "line",
    [
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----",
        "DB_PASSWORD=s3cr3t-value",
        "export API_KEY=abcd1234efgh",
        "define('DB_PASSWORD', 'hunter22');",
        "SECRET_KEY = 'django-insecure-1234567890'",
        '    "password": "tr0ub4dor",',
        "$db['default']['password'] = 'tr0ub4dor';",
        "password: tr0ub4dor&3",
        "url = postgres://app:tr0ub4dor@localhost/shop",
        "aws = AKIAIOSFODNN7EXAMPLE",
        "INSERT INTO users VALUES (1,'ann','$2b$12$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUV0123456789012');",
        "token: ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    ],
)
def test_a_secret_is_found_by_its_line(line: str) -> None:
    text = f"first\n{line}\nlast".encode()
    assert [number for number, _ in find_secrets([text])] == [2]
    assert [number for number, _ in find_secrets(text[start : start + 5] for start in range(0, len(text), 5))] == [2]


@pytest.mark.parametrize(
    "line",
    [
        "password = request.form['field']",
        "password = getpass.getpass()",
        "DB_PASSWORD=${DB_PASSWORD}",
        "password: $PASSWORD",
        "url = postgres://app:$PASSWORD@localhost/shop",
        "<input type='password' name='password'>",
        "# the password is asked for",
        "has_password = true",
        "title = 'The secret garden'",
        "PASSWORD=changeme",
    ],
)
def test_what_only_speaks_of_secrets_is_none(line: str) -> None:
    assert list(find_secrets([line.encode()])) == []


def test_lines_without_end_take_no_more_than_their_length() -> None:
    assert list(find_secrets([b"x=a " * 100_000])) == []
    assert [kind for _, kind in find_secrets([b"y" * 200_000 + b" -----BEGIN PRIVATE KEY-----"])][:1] == [
        "a private key"
    ]

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


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----", "a private key"),
        ("PuTTY-User-Key-File-3: ssh-ed25519", "a private key"),
        ("maps: AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "a token"),
        ("curl https://hooks.slack.com/services/T00000000/B00000000/aaaaaaaaaaaaaaaaaaaaaaaa", "a token"),
        ("ann:$apr1$abcdefgh$0123456789abcdefghijkl", "the hash of a password"),
        ("ann:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "the hash of a password"),
        ("INSERT INTO `wp_users` VALUES (1,'ann','$P$BabcdefghijklmnopqrstuvwxyzABCDE');", "the hash of a password"),
        (
            "root:$y$j9T$abcdefghijklmnopqrstuv$abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHI:1::",
            "the hash of a password",
        ),
        ("ann\tsha1$salt$0123456789abcdef0123456789abcdef01234567", "the hash of a password"),
        ("CREATE USER ann WITH PASSWORD 'tr0ub4dor';", "a password"),
        ("GRANT ALL ON shop.* TO USER 'ann'@'%' IDENTIFIED BY 'tr0ub4dor'", "a password"),
        ("machine shop.test login ann password tr0ub4dor", "a password"),
        ("mysqldump -u ann -ptr0ub4dor shop > shop.sql", "a password"),
        ("PGPASSWORD=tr0ub4dor pg_dump shop", "a password"),
        ("wget --password=tr0ub4dor https://shop.test/", "a password"),
        ("<password>tr0ub4dor</password>", "a credential"),
        ('<add key="password" value="tr0ub4dor"/>', "a credential"),
    ],
)
def test_a_secret_shows_itself_by_its_shape(line: str, kind: str) -> None:
    assert list(find_secrets([f"first\n{line}\n".encode()])) == [(2, kind)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("app/config/database.yml", "  password: troubadour"),
        ("app/.env", 'DB_PASSWORD="tr0ub4 dor"'),
        ("app/.env.production", "APP_KEY=base64:2fl+Ktvkfl+Fuz4Qp/A75G2RTiWVA/ZoKZvp6fiiM10="),
        ("app/application.properties", "spring.datasource.password=troubadour"),
        ("redis.conf", "requirepass troubadour"),
        ("app/.npmrc", "//registry.npmjs.org/:_authToken=0123456789abcdef0123"),
        ("home/.pgpass", "localhost:5432:shop:ann:troubadour"),
        ("app/key.p12", "anything"),
    ],
)
def test_a_bare_word_is_a_secret_in_settings(path: str, line: str) -> None:
    assert [number for number, _ in find_secrets([line.encode()], path)] == [1]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("app.py", "password: troubadour"),
        ("locale/de.yml", "password: Kennwort"),
        ("config.yml", "password: ${DB_PASSWORD}"),
        ("config.yml", "password: <%= ENV['DB_PASSWORD'] %>"),
        ("config.ini", "password_file = /run/secrets/shop"),
        ("config.ini", "password = /run/secrets/shop"),
        ("sshd.conf", "PasswordAuthentication no"),
        (".env.example", "DB_PASSWORD=your_password"),
        ("run.sh", 'mysqldump -u ann -p"$PASSWORD" shop'),
        ("run.sh", "mysqldump --port 3306 -p shop"),
        ("notes.txt", "give it by --username and --password options"),
        ("page.html", '<input name="csrf_token" value="abcdef123456">'),
        ("strings.xml", '<string name="password">Kennwort</string>'),
        ("readme", "the default password is asked for"),
    ],
)
def test_what_stands_for_a_secret_is_none(path: str, line: str) -> None:
    assert list(find_secrets([line.encode()], path)) == []


@pytest.mark.parametrize(
    ("dump", "number"),
    [
        (
            "CREATE TABLE `member` (\n  `name` text,\n  `pass` varchar(32)\n);\nINSERT INTO `member` VALUES (1,'5');\n",
            3,
        ),
        ("COPY public.member (id, name, passwd) FROM stdin;\n1\tann\tx\n", 1),
        ("SQLite format 3\0\nCREATE TABLE member(id integer primary key, password_hash TEXT)\0\1\2", 2),
    ],
)
def test_columns_of_passwords_are_found_in_dumps(dump: str, number: int) -> None:
    assert next(find_secrets([dump.encode()], "shop.sql")) == (number, "a column of passwords")


@pytest.mark.parametrize(
    "dump",
    [
        "CREATE TABLE member (\n  name text,\n  pass varchar(32)\n);\n",
        "CREATE TABLE paper (title text);\nINSERT INTO paper VALUES ('the password');\n",
        '    insert = "INSERT INTO account (name, password) VALUES (?,?)"\n',
    ],
)
def test_tables_without_rows_or_passwords_are_no_secrets(dump: str) -> None:
    assert list(find_secrets([dump.encode()], "shop.sql")) == []


def test_lines_without_end_take_no_more_than_their_length() -> None:
    assert list(find_secrets([b"x=a " * 100_000])) == []
    assert [kind for _, kind in find_secrets([b"y" * 200_000 + b" -----BEGIN PRIVATE KEY-----"])][:1] == [
        "a private key"
    ]
